import type { ReceivedSms } from '@sdd/contract/people/conversations.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { KeyCaller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { MessageRow } from '#server/messages/messages/store.ts'
import { listInbox } from '#server/people/conversations/inbox.ts'
import { taskRows } from '#server/tasks/task.ts'
import { accountPath, receivedMessage, sentMessage, TwilioFault, type TwilioMessage } from './answers.ts'
import { isSid } from './create.ts'
import { openSimNumbers } from './sim-numbers.ts'

type Needs = { db: Pick<Database, 'read' | 'readInWorker'>; clock: Clock; numbers: Numbers }

/** Rows to read at a time, and how long one page may search. A page may be short before the last one. */
const STEP = 1_000
const SEARCH_MS = 1_000

/** A page of messages, newest first: tasks that were created here, and received SMS if the key may read them. */
export async function listMessages(needs: Needs, caller: KeyCaller, account: string, query: URLSearchParams) {
  const { db, clock, numbers } = needs
  const { company_id } = caller
  const size = readSize(query)
  const wanted = openFilter(query, (number) => numbers.kept(company_id, number) ?? number)
  const [tasks_from, inbox_from] = readToken(query.get('PageToken'))
  const simNumber = openSimNumbers(db.readInWorker)
  /** The sender that the answer shows: the SIM's number if the program left the choice to the server. */
  const senderOf = ({ from_number, device_guid, sim }: MessageRow) =>
    from_number ?? simNumber(device_guid, sim)
  const bySender = Boolean(query.get('From'))
  const until = performance.now() + SEARCH_MS
  const sent = openSource(tasks_from, until, async (before) => {
    const rows = await taskRows(db.readInWorker, company_id, before, STEP)
    return Promise.all(
      rows.map(async (row): Promise<Found> => {
        const { id, queue_timestamp: at, message_to: to, from_number } = row
        return { id, at, to, from: bySender && isSid(row.guid) ? await senderOf(row) : from_number, row }
      }),
    )
  })
  const received = openSource(caller.may.includes('inbox:read') ? inbox_from : 0, until, async (before) => {
    const cursor = before === undefined ? {} : { cursor: String(before) }
    const { inbox } = await listInbox({ db, numbers }, caller, { limit: STEP, ...cursor })
    return Promise.all(
      inbox.map(async (sms): Promise<Found> => {
        const to = await simNumber(sms.device_uid, sms.sim)
        return { id: Number(sms.id.slice(1)), at: sms.received_at, to, from: sms.number, sms }
      }),
    )
  })

  const page: Found[] = []
  const sources = [sent, received]
  while (page.length < size) {
    const heads = await Promise.all(sources.map((source) => source.head(wanted)))
    const [one, other] = heads
    const next = !other || (one && one.at >= other.at) ? 0 : 1
    // A source that ran out of time may have newer messages than the other.
    if (sources.some((source, index) => !heads[index] && !source.ended()) || !heads[next]) break
    page.push(heads[next])
    sources[next]!.take()
  }
  const ended = (await Promise.all(sources.map((source) => source.head(wanted)))).every(
    (head, index) => !head && sources[index]!.ended(),
  )
  const now = instant(clock.now())
  const messages = await Promise.all(
    page.map(async ({ row, sms, to }): Promise<TwilioMessage> => {
      if (sms) return receivedMessage(account, company_id, sms, to)
      return sentMessage(account, row!, await senderOf(row!), now)
    }),
  )
  const uriOf = (token?: string) => pageUri(account, query, size, token)
  return {
    first_page_uri: uriOf(),
    end: Math.max(0, messages.length - 1),
    next_page_uri: ended ? null : uriOf(`PT${sent.position()}-${received.position()}`),
    page: 0,
    page_size: size,
    previous_page_uri: null,
    start: 0,
    uri: uriOf(query.get('PageToken') ?? undefined),
    messages,
  }
}

/**
 * A message of one of the sources, with the fields that the filters compare. If no filter names `From`, the `from` of a
 * sent message may lack the number of its SIM.
 */
type Found = {
  id: number
  at: string
  to: string | null
  from: string | null
  row?: MessageRow
  sms?: ReceivedSms
}

/** Reads one kind of messages, newest first, from below an id. 0: there are none. */
function openSource(
  from: number | undefined,
  until: number,
  read: (before: number | undefined) => Promise<Found[]>,
) {
  let before = from
  let all_read = from === 0
  let rows: Found[] = []
  return {
    /** The next one that is wanted, unless there is none, or no time left to look for it. */
    async head(wanted: (found: Found) => boolean): Promise<Found | undefined> {
      for (;;) {
        while (rows[0] && !wanted(rows[0])) before = rows.shift()!.id
        if (rows[0] || all_read || performance.now() > until) return rows[0]
        rows = await read(before)
        all_read = rows.length < STEP
      }
    },
    take: () => void (before = rows.shift()!.id),
    ended: () => all_read && rows.length === 0,
    /** Where the next page begins. */
    position: () => (all_read && rows.length === 0 ? 0 : (before ?? '')),
  }
}

function readToken(token: string | null): [tasks: number | undefined, inbox: number | undefined] {
  if (token === null) return [undefined, undefined]
  const [, tasks, inbox] = /^PT(\d{0,15})-(\d{0,15})$/.exec(token) ?? []
  if (tasks === undefined || inbox === undefined) throw new TwilioFault(400, 20007, 'Invalid page token.')
  return [tasks === '' ? undefined : Number(tasks), inbox === '' ? undefined : Number(inbox)]
}

function readSize(query: URLSearchParams): number {
  const written = query.get('PageSize') || '50'
  if (!/^[1-9]\d{0,8}$/.test(written)) throw new TwilioFault(400, 20006, 'Invalid page size.')
  return Math.min(1_000, Number(written))
}

/** A day in UTC, or a time. */
const WHEN = /^(\d{4}-\d\d-\d\d)(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/

function openFilter(query: URLSearchParams, kept: (number: string) => string): (found: Found) => boolean {
  const [to, from] = ['To', 'From'].map((name) => query.get(name)).map((number) => number && kept(number))
  const on = readWhen(query.get('DateSent'))
  const before = readWhen(query.get('DateSent<'))
  const after = readWhen(query.get('DateSent>'))
  return (found) => {
    const { row, sms } = found
    if (row && !isSid(row.guid)) return false
    if ((to && found.to !== to) || (from && found.from !== from)) return false
    const at = row?.answer_sent_timestamp ?? sms?.received_at ?? found.at
    return (
      (!on || at.slice(0, on.day.length) === on.day) &&
      (!before || (before.time ? at <= before.time : at.slice(0, before.day.length) <= before.day)) &&
      (!after || (after.time ? at >= after.time : at.slice(0, after.day.length) >= after.day))
    )
  }
}

function readWhen(written: string | null): { day: string; time: string | undefined } | undefined {
  if (!written) return undefined
  const [, day, time] = WHEN.exec(written) ?? []
  if (day === undefined || Number.isNaN(Date.parse(written)))
    throw new TwilioFault(400, 20001, 'A date must be like 2026-01-31 or 2026-01-31T09:30:00Z.')
  return { day, time: time && instant(Date.parse(written)) }
}

function pageUri(account: string, query: URLSearchParams, size: number, token: string | undefined): string {
  const fields = new URLSearchParams(query)
  fields.set('PageSize', String(size))
  fields.delete('PageToken')
  if (token !== undefined) fields.set('PageToken', token)
  return `${accountPath(account)}/Messages.json?${fields.toString()}`
}
