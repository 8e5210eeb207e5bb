import { METHODS } from 'node:http'
import type { Config } from '#server/core/config.ts'
import type { Clock } from '#server/core/clock.ts'
import type { OtherHttp } from '#server/core/http/http.ts'
import { rawQueryOf } from '#server/core/http/query.ts'
import type { Entry } from '#server/outward/doors/entry.ts'
import {
  doorRefusalOf,
  doorRefusals,
  type DoorRefusal,
  isUnexpected,
} from '#server/outward/doors/refusals.ts'
import type { DoorSubmission, Submitted } from '#server/outward/doors/submitting.ts'
import type { Logger } from 'pino'
import { type KannelFields, readFields } from './fields.ts'
import { Misformed, readSendsms } from './sendsms.ts'

type Needs = {
  http: OtherHttp
  clock: Clock
  log: Logger
  entry: Entry
  submission: DoorSubmission
  config: Pick<Config, 'HOST'>
}

type Said = readonly [status: number, text: string]

const SENDSMS = '/cgi-bin/sendsms'
const ACCEPTED = '0: Accepted for delivery'
const SERVED: readonly string[] = ['GET', 'POST']
const BODY_BYTES = 64 * 1024

/** Serves Kannel's HTTP interface for sending. */
export async function openKannelDoor(needs: Needs, port: number) {
  const { http, log, config } = needs
  for (const method of SERVED) {
    http.serve({ method, path: SENDSMS }, async ({ request, response }) => {
      const address = http.addressOf(request)
      try {
        const query = rawQueryOf(request.url)
        const form = method === 'POST' ? await http.readForm(response, BODY_BYTES) : ''
        return answer(await sendsms(needs, readFields(query, form), address))
      } catch (error) {
        if (isUnexpected(error) && !(error instanceof Misformed))
          log.error({ err: error }, 'Kannel’s door failed')
        return answer(saidTo(error))
      }
    })
  }
  for (const method of METHODS) {
    if (!SERVED.includes(method)) http.serve({ method, path: SENDSMS }, refuseMethod)
    http.serve({ method, path: '/*' }, () => answer([404, 'Unknown request.']))
  }
  return http.listen({ host: config.HOST, port, variable: 'KANNEL_PORT' })
}

function answer([status, body]: Said) {
  return { status, type: 'text/plain; charset=utf-8', body }
}

function refuseMethod() {
  return { ...answer([405, 'Method not allowed.']), headers: { Allow: SERVED.join(', ') } }
}

function saidTo(error: unknown): Said {
  if (error instanceof Misformed) return [400, error.message]
  return doorRefusals[doorRefusalOf(error)].kannel
}

async function sendsms(
  { clock, entry, submission }: Pick<Needs, 'clock' | 'entry' | 'submission'>,
  fields: KannelFields,
  address: string,
): Promise<Said> {
  const key = fields.get('password') || fields.get('pass')
  const caller = await entry.admit(key, address, 'tasks:write')
  const { recipients, sender, sms } = readSendsms(fields, clock.now())
  if (recipients.length === 0) return doorRefusals.no_recipient.kannel
  const from_number = sender === '' ? undefined : await submission.simOf(caller.company_id, sender)
  const done = await submission.each(caller, recipients, { ...sms, ...(from_number && { from_number }) })
  return saidOf(done)
}

/** Where some recipients are refused, the others are taken. */
function saidOf(done: readonly Submitted[]): Said {
  const refused = done.filter((one): one is { to: string; refused: DoorRefusal } => one.refused !== undefined)
  if (refused.length === done.length) {
    // A program that is told to try again sends to all of them, so the others are refused then.
    const passing = refused.find((one) => one.refused === 'unavailable')
    return doorRefusals[(passing ?? refused[0]!).refused].kannel
  }
  if (refused.length === 0) return [202, ACCEPTED]
  return [202, `${ACCEPTED} Denied receivers are: ${refused.map(({ to }) => to).join(' ')}`]
}
