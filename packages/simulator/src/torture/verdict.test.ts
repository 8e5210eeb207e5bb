import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { Device } from '@sdd/contract/fleet/devices.ts'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import type { Attempt } from './device-books.ts'
import { type Evidence, judge } from './verdict.ts'

const AT = '2026-06-01T10:00:00.000Z'

function entryOf(guid: string, change: Partial<LogEntry> = {}): LogEntry {
  return {
    id: 1,
    company_id: 1,
    guid,
    device_id: 1,
    device_guid: 'd1',
    message: `text of ${guid}`,
    message_to: '600',
    class: 'transactional',
    queue_timestamp: AT,
    handed_timestamp: AT,
    answer_sent_timestamp: AT,
    anwer_sent: 'sent',
    answer_2_timestamp: AT,
    answer_2: 'delivered',
    notes: null,
    notes_codes: null,
    answer_3: null,
    answer_3_timestamp: null,
    error: null,
    error_msg: null,
    error_msg_code: null,
    error_msg_params: null,
    error_timestamp: null,
    error_block: false,
    state: 'delivered',
    waiting_for: null,
    waiting_code: null,
    waiting_params: null,
    ...change,
  }
}

function attemptOf(guid: string, states: Report['state'][], change: Partial<Attempt> = {}): Attempt {
  const reports = states.map((state) => ({ what: { guid, attempt: 1, state, at: AT }, committed: true }))
  return { uid: 'd1', attempt: 1, parts: 1, on_air: 1, reports, ...change }
}

const failed = (code: string): Attempt['reports'][number] => {
  return { what: { guid: 'task', attempt: 1, state: 'failed', code, at: AT }, committed: true }
}

const WHOLE = ['accepted', 'sent', 'delivered'] as const

/** A task and an SMS of the console that succeeded, in all records. */
function evidence(change: Partial<Evidence> = {}): Evidence {
  const to_number = '600'
  const handed = {
    guid: 'task',
    to_number,
    text: 'text of task',
    callback_url: undefined,
    acknowledged: true,
  }
  const sent = { text: 'text of sms', to_number, device_uid: 'd1', guid: 'sms', unanswered: false }
  return {
    tasks: new Map([['task', handed]]),
    sent: [sent],
    log: [entryOf('task'), entryOf('sms')],
    records: new Map(),
    devices: [{ uid: 'd1', status: 'connected', queued: 0, sent_today: 2 } as Device],
    same_day: true,
    books: booksOf({}),
    ...change,
  }
}

function booksOf({ task, waiting = 0 }: { task?: Attempt[]; waiting?: number }): Evidence['books'] {
  const attempts = new Map([
    ['task', task ?? [attemptOf('task', [...WHOLE])]],
    ['sms', [attemptOf('sms', [...WHOLE])]],
  ])
  return { attempts, inbox: [], committed: 6, waiting }
}

/** The faults for this state of the task in the log, with the parts that its device counts today. */
function shown(state: LogEntry['state'], task: Attempt, parts = 2): string[] {
  const answer = state === 'delivered' ? {} : { answer_2: null, answer_2_timestamp: null }
  const devices = [{ uid: 'd1', status: 'connected', queued: 0, sent_today: parts } as Device]
  const log = [entryOf('task', { state, ...answer }), entryOf('sms')]
  return judge(evidence({ log, devices, books: booksOf({ task: [task] }) }))
}

test('books that agree are in order', () => {
  assert.deepEqual(judge(evidence()), [])
})

test('an acknowledged message that is missing in the log, or has another text, is a fault', () => {
  const log = [entryOf('task'), entryOf('sms')]
  const first = (log: LogEntry[]) => judge(evidence({ log }))[0]
  assert.equal(first([log[1]!]), 'task: it was acknowledged, but is not in the log')
  assert.equal(first([log[0]!]), 'sms: it was sent from the console and acknowledged, but is not in the log')
  const changed = [entryOf('task', { message: 'another' }), log[1]!]
  assert.deepEqual(judge(evidence({ log: changed })), ['task: it differs from the submitted task'])
})

test('an SMS of the console that is stored twice, or that was not sent, is a fault', () => {
  const log = [entryOf('task'), entryOf('sms'), entryOf('other', { message: 'text of sms' })]
  const faults = judge(evidence({ log }))
  assert.equal(faults[0], 'other: it was not sent, or it was stored twice')
})

test('a message that is on air twice, or was given to two devices, is a fault', () => {
  const books = booksOf({ task: [attemptOf('task', [...WHOLE], { on_air: 2 })] })
  assert.ok(judge(evidence({ books })).includes('task: it was on air 2 times'))
  const one = attemptOf('task', [...WHOLE])
  const two = booksOf({ task: [one, { ...one, uid: 'd2', on_air: 0 }] })
  assert.ok(judge(evidence({ books: two })).includes('task: attempt 1 was given to d1 and to d2'))
})

test('a report that was acknowledged but not stored is a fault, as is one that was never acknowledged', () => {
  const log = [entryOf('task', { answer_sent_timestamp: null }), entryOf('sms')]
  const [fault] = judge(evidence({ log }))
  assert.match(fault!, /^task: d1 got an acknowledgement for 'sent' of attempt 1/)
  assert.deepEqual(judge(evidence({ books: booksOf({ waiting: 2 }) })), [
    '2 reports of devices were never acknowledged',
  ])
})

test('for a message with two attempts, each attempt has its acknowledged reports', () => {
  const first = attemptOf('task', ['accepted'], { on_air: 0 })
  first.reports.push(failed('no_network'))
  const books = booksOf({ task: [first, attemptOf('task', [...WHOLE], { uid: 'd2', attempt: 2 })] })
  const attempt_1 = `d1 · given ${AT} · accepted ${AT} · failed · no_network`
  const attempt_2 = `d2 · given ${AT} · accepted ${AT} · sent ${AT} · delivered ${AT}`
  const [d1, d2] = ['d1', 'd2'].map(
    (uid) => ({ uid, status: 'connected', queued: 0, sent_today: 1 }) as Device,
  )
  const prove = (record: Record<string, string>) =>
    judge(evidence({ books, devices: [d1!, d2!], records: new Map([['task', record]]) }))
  assert.deepEqual(prove({ attempt_1, attempt_2 }), [])
  const [fault, ...others] = prove({ attempt_1: `d1 · given ${AT} · accepted ${AT}`, attempt_2 })
  assert.match(fault!, /^task: d1 got an acknowledgement for 'failed' of attempt 1/)
  assert.deepEqual(others, [])
})

test("a state that the devices' records contradict is a fault", () => {
  const sent = attemptOf('task', ['accepted', 'sent'])
  assert.deepEqual(shown('sent', sent), [])
  assert.match(shown('delivered', sent)[0]!, /^task: it is shown delivered, but by its devices it is sent/)
  assert.match(shown('handed', sent)[0]!, /^task: it has not ended/)
  assert.match(shown('uncertain', sent)[0]!, /by its devices it is sent/)
})

test('a failed message was not on air, a sent one was, and only an uncertain one may be either', () => {
  const doubtful = { ...attemptOf('task', ['accepted']), on_air: 0 }
  doubtful.reports.push(failed('unknown_outcome'))
  const records = (one: Attempt) => shown('uncertain', one).filter((fault) => fault.includes('on air'))
  assert.deepEqual(records(doubtful), [])
  assert.deepEqual(records({ ...doubtful, on_air: 1 }), [])
  const barred = { ...attemptOf('task', ['accepted']), on_air: 1 }
  barred.reports.push(failed('sim_barred'))
  assert.ok(shown('failed', barred, 1).includes('task: it is shown failed, but was on air 1 times'))
  const silent = attemptOf('task', ['accepted', 'sent'], { on_air: 0 })
  assert.deepEqual(shown('sent', silent), ['task: it is shown sent, but was on air 0 times'])
})

test('a reply that was acknowledged but not shown is a fault, as is one that no device received', () => {
  const what = { id: 'r1', from: '600', text: 'Ok', at: AT }
  const books = { ...booksOf({}), inbox: [{ uid: 'd1', what, committed: true }] }
  assert.deepEqual(judge(evidence({ books })), [
    'd1: the reply r1 of 600 was acknowledged, but no message shows it',
  ])
  const log = [entryOf('task', { state: 'replied', answer_3_timestamp: AT }), entryOf('sms')]
  assert.deepEqual(judge(evidence({ books, log })), [])
  assert.deepEqual(judge(evidence({ log })), ['task: it shows a reply that no device received'])
})

test('a device that is shown as away, with a queue, or with wrong counts, is a fault', () => {
  const device = { uid: 'd1', status: 'disconnected', queued: 3, sent_today: 5 } as Device
  assert.deepEqual(judge(evidence({ devices: [device] })), [
    'd1: it is connected, but shown as disconnected',
    'd1: the server shows 3 messages in its queue',
    'd1: it sent 2 SMS today, but 5 are shown',
  ])
})
