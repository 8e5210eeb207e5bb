import type { OpenSession } from '@sdd/contract/accounts/sessions.ts'
import type { SecondFactor } from '@sdd/contract/accounts/second-factor.ts'
import type { Answer, StandIn } from './stand-in.ts'

/** The only code that the stand-in accepts. */
export const CODE = '123456'
export const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

export const exampleRecoveryCodes = Array.from(
  { length: 10 },
  (_, n) => `${'ABCDEFGHJK'[n]}2C3-4DEF-5GHJ-6KLM-7NPQ-8RST`,
)

export const factorOn: SecondFactor = {
  enabled: true,
  since: '2026-11-02T09:12:00.000Z',
  recovery_codes_left: 3,
}

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'

/** The signed-in user's sessions: this one, one in another browser, and one of a program. */
export function exampleSessions(): OpenSession[] {
  const now = Date.now()
  const at = (secs: number) => new Date(now - secs * 1_000).toISOString()
  const expires_at = at(-40_000)
  return [
    {
      id: 31,
      created_at: at(5_000),
      last_used_at: at(20),
      expires_at,
      address: '192.0.2.17',
      user_agent: `Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`,
      current: true,
    },
    {
      id: 24,
      created_at: at(90_000),
      last_used_at: at(4_000),
      expires_at,
      address: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
      user_agent: `Mozilla/5.0 (Linux; Android 10; K) ${CHROME}`,
      current: false,
    },
    {
      id: 19,
      created_at: at(40_000),
      last_used_at: at(39_000),
      expires_at,
      address: '198.51.100.4',
      user_agent: 'curl/8.5.0',
      current: false,
    },
  ]
}

/** A server's answers for the account screen and for a login that needs a code. Nothing is stored. */
export function accountAnswers(): StandIn['answers'] {
  return {
    'GET /api/second-factor': { body: { enabled: false, since: null, recovery_codes_left: 0 } },
    'POST /api/second-factor': ({ body }) =>
      refusal(body) ?? {
        status: 201,
        body: {
          secret: SECRET,
          uri: `otpauth://totp/SMS%20DRONE%20DASH:superadmin%20(sms.example.org)?secret=${SECRET}&issuer=SMS%20DRONE%20DASH&algorithm=SHA1&digits=6&period=30`,
        },
      },
    'POST /api/second-factor/confirm': ({ body }) => refusal(body) ?? codes,
    'POST /api/second-factor/recovery-codes': ({ body }) => refusal(body) ?? codes,
    'POST /api/second-factor/off': ({ body }) => refusal(body) ?? { status: 204 },
    'DELETE /api/user/*/second-factor': { status: 204 },
    'GET /api/sessions': () => ({ body: { sessions: exampleSessions() } }),
    'DELETE /api/sessions/*': { status: 204 },
    'POST /api/sessions/end-others': { body: { ended: 2 } },
    'POST /api/proof': ({ body }) => refusal(body) ?? { status: 204 },
    'POST /api/password': ({ body }) => refusal(body) ?? { status: 204 },
  }
}

const codes = { body: { recovery_codes: exampleRecoveryCodes } }

function refusal(body: string): Answer | undefined {
  const given = JSON.parse(body) as { password?: string; code?: string }
  const right = { password: 'correct', code: CODE }
  for (const field of ['password', 'code'] as const) {
    if (given[field] === undefined || given[field] === right[field]) continue
    const detail = `The ${field} is not right.`
    return { status: 422, body: { detail, code: 'invalid', fields: { [field]: 'is not right' } } }
  }
  return undefined
}
