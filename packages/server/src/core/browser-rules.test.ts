import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BROWSER_LIMITS, browserRules, type KnownBrowser } from './browser-rules.ts'

const browser = (but: Partial<KnownBrowser> = {}) => ({
  connection_id: '',
  session_id: 1,
  user_id: 1,
  company_id: 1,
  scope: 'all' as const,
  most_of_company: 500,
  ...but,
})

for (const [whose, most, of] of [
  ['session', BROWSER_LIMITS.per_session, () => ({})],
  ['user', BROWSER_LIMITS.per_user, (n: number) => ({ session_id: n + 2 })],
  ['company', 100, (n: number) => ({ session_id: n + 2, user_id: n + 2, most_of_company: 100 })],
] as const) {
  test(`a ${whose} can have only this many browsers connected, and other browsers are still admitted`, () => {
    const open = Array.from({ length: most }, (_, n) => browser(of(n)))
    const next = browser({ most_of_company: whose === 'company' ? 100 : 500 })
    assert.equal(browserRules.hasRoom(next, open.slice(1)), true)
    assert.equal(browserRules.hasRoom(next, open), false)
    assert.equal(
      browserRules.hasRoom(browser({ session_id: 99_999, user_id: 99_999, company_id: 99 }), open),
      true,
    )
  })
}
