import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { KeyCaller, NeedsOf } from '#server/core/context.ts'
import type { OtherRoutes } from '#server/core/http/http.ts'
import { rawQueryOf } from '#server/core/http/query.ts'
import { errorCodeOf } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import { receivedIdOf, TWILIO_API } from '#server/outward/callbacks/formats/twilio.ts'
import type { Entry } from '#server/outward/doors/entry.ts'
import { DoorFault, doorRefusalOf, isUnexpected } from '#server/outward/doors/refusals.ts'
import type { DoorSubmission } from '#server/outward/doors/submitting.ts'
import { listInbox } from '#server/people/conversations/inbox.ts'
import { taskRowByGuid } from '#server/tasks/task.ts'
import { discardTask } from '#server/tasks/tasks.ts'
import {
  accountPath,
  errorAnswer,
  jsonAnswer,
  receivedMessage,
  refusalFault,
  sentMessage,
  type TwilioAnswer,
  TwilioFault,
  type TwilioMessage,
} from './answers.ts'
import { isSid, newSid, readNewMessage } from './create.ts'
import { listMessages } from './list.ts'
import { openSimNumbers } from './sim-numbers.ts'

type Needs = NeedsOf<typeof discardTask> & {
  others: OtherRoutes
  db: Database
  clock: Clock
  log: Logger
  numbers: Numbers
  entry: Entry
  submission: DoorSubmission
}

type Asked = {
  caller: KeyCaller
  account: string
  sid: string
  query: URLSearchParams
  form: URLSearchParams
}

const BODY_BYTES = 64 * 1024
const MESSAGES = `/${TWILIO_API}/Accounts/:account/Messages.json`
const MESSAGE = `/${TWILIO_API}/Accounts/:account/Messages/:sid.json`

/** Serves the part of Twilio's API that sends and reads messages, on the main port. */
export function serveTwilioDoor(needs: Needs): void {
  serve(needs, 'POST', MESSAGES, 'tasks:write', async (asked) => jsonAnswer(201, await create(needs, asked)))
  serve(needs, 'GET', MESSAGES, 'tasks:read', async ({ caller, account, query }) =>
    jsonAnswer(200, await listMessages(needs, caller, account, query)),
  )
  serve(needs, 'GET', MESSAGE, 'tasks:read', async (asked) => jsonAnswer(200, await read(needs, asked)))
  serve(needs, 'POST', MESSAGE, 'tasks:write', async (asked) => jsonAnswer(200, await cancel(needs, asked)))
}

function serve(
  { others, entry, log }: Needs,
  method: 'GET' | 'POST',
  path: string,
  may: KeyPermission,
  answering: (asked: Asked) => Promise<TwilioAnswer>,
): void {
  others.serve({ method, path }, async ({ request, response, params }) => {
    try {
      const { account = '', sid = '' } = params
      const caller = await entry.admit(keyOf(request, account), others.addressOf(request), may)
      const query = new URLSearchParams(rawQueryOf(request.url))
      const form = method === 'POST' ? await others.readForm(response, BODY_BYTES) : ''
      return await answering({ caller, account, sid, query, form: readForm(form) })
    } catch (error) {
      if (error instanceof TwilioFault) return errorAnswer(error)
      if (isUnexpected(error)) log.error({ err: error }, 'Twilio’s door failed')
      return errorAnswer(refusalFault(doorRefusalOf(error)))
    }
  })
}

/** `bytes` has a character for each byte. Those that are not percent-encoded are UTF-8. */
function readForm(bytes: string): URLSearchParams {
  return new URLSearchParams(Buffer.from(bytes, 'latin1').toString())
}

/** The password of HTTP Basic. The user is an account or a key of Twilio's, any. */
function keyOf({ headers }: IncomingMessage, account: string): string {
  const [, basic = ''] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(headers.authorization ?? '') ?? []
  const [, user = '', key = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? []
  return ACCOUNT.test(user) && ACCOUNT.test(account) ? key : ''
}

const ACCOUNT = /^(AC|SK)/

async function create(
  { db, clock, submission }: Needs,
  { caller, account, form }: Asked,
): Promise<TwilioMessage> {
  const { to, from, service, sms } = readNewMessage(form, account, clock.now())
  const { company_id } = caller
  const from_number = from && (await submission.simOf(company_id, from))
  if (from !== undefined && from_number === undefined)
    throw new TwilioFault(
      400,
      21606,
      `The 'From' number ${from.slice(0, 30)} is none of this company's SIMs.`,
    )
  const all = { ...sms, ...(from_number && { from_number }) }
  const [done] = await submission.each(caller, [{ to, guid: newSid() }], all)
  if (done?.refused !== undefined) throw new DoorFault(done.refused)
  const row = await taskRowByGuid(db.read, company_id, done!.guid)
  const message = sentMessage(account, row!, from_number ?? null, instant(clock.now()))
  return { ...message, messaging_service_sid: service }
}

/** One message: a task that was created here, or a received SMS. */
async function read({ db, clock, numbers }: Needs, { caller, account, sid }: Asked): Promise<TwilioMessage> {
  const { company_id } = caller
  const simNumber = openSimNumbers(db.read)
  const row = isSid(sid) ? await taskRowByGuid(db.read, company_id, sid) : undefined
  if (row) {
    const from = row.from_number ?? (await simNumber(row.device_guid, row.sim))
    return sentMessage(account, row, from, instant(clock.now()))
  }
  const id = receivedIdOf(company_id, sid)
  if (id !== undefined && caller.may.includes('inbox:read')) {
    const { inbox } = await listInbox({ db, numbers }, caller, { limit: 1, cursor: String(id + 1) })
    const [sms] = inbox
    if (sms?.id === `r${id}`)
      return receivedMessage(account, company_id, sms, await simNumber(sms.device_uid, sms.sim))
  }
  throw unknownMessage(account, sid)
}

/** Cancels a message that no device has. */
async function cancel(needs: Needs, asked: Asked): Promise<TwilioMessage> {
  const { db, clock } = needs
  const { caller, account, sid, form } = asked
  if (form.get('Status') !== 'canceled')
    throw new TwilioFault(400, 20001, "'Status' can only become canceled.")
  const { company_id } = caller
  const before = isSid(sid) ? await taskRowByGuid(db.read, company_id, sid) : undefined
  if (before === undefined) throw unknownMessage(account, sid)
  if (before.step === 'given') throw tooLate()
  try {
    if ((await discardTask(needs, caller, { guid: sid })).asked) throw tooLate()
  } catch (error) {
    throw errorCodeOf(error) === 'task_not_discardable' ? tooLate() : error
  }
  const row = await taskRowByGuid(db.read, company_id, sid)
  return sentMessage(account, row!, row!.from_number, instant(clock.now()))
}

function tooLate(): TwilioFault {
  return new TwilioFault(
    400,
    30409,
    'The message cannot be canceled any more: a device has it, or it has ended.',
  )
}

function unknownMessage(account: string, sid: string): TwilioFault {
  const path = `${accountPath(account)}/Messages/${encodeURIComponent(sid)}.json`
  return new TwilioFault(404, 20404, `The requested resource ${path} was not found`)
}
