import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import { type AttemptFacts, type MessageFacts, rankOf, settleReport } from './state.ts'
import fc from 'fast-check'

type Message = MessageFacts & Record<string, unknown>
type Attempt = AttemptFacts & Record<string, unknown>

function fresh(): { message: Message; attempt: Attempt } {
  return {
    message: {
      state: 'queued',
      attempt: 1,
      handed_timestamp: null,
      answer_sent_timestamp: null,
      answer_2_timestamp: null,
      error: null,
      completed_at: null,
      notes: null,
      step: 'given',
      parts: 3,
    },
    attempt: {
      attempt: 1,
      device_uid: 'drone-1',
      state: 'given',
      parts: 3,
      accepted_at: null,
      sent_at: null,
      delivered_at: null,
      finished_at: null,
    },
  }
}

/** Applies reports one after the other, as the store would. */
function play(reports: readonly Partial<Report>[], facts = fresh()) {
  let { message, attempt } = facts
  let given_back = 0
  let finishes = 0
  const states: string[] = []
  reports.forEach((partial, second) => {
    const at = `2026-05-01T10:00:${String(second).padStart(2, '0')}.000Z`
    const report = { guid: 'g', attempt: 1, at, state: 'accepted', ...partial } as Report
    const settled = settleReport(message, attempt, report, at, at)
    message = { ...message, ...settled.message }
    attempt = { ...attempt, ...settled.attempt, parts: attempt.parts - settled.give_back }
    given_back += settled.give_back
    finishes += settled.finished ? 1 : 0
    states.push(message.state)
  })
  return { message, attempt, given_back, finishes, states }
}

const accepted = { state: 'accepted' } as const
const sent = { state: 'sent' } as const
const delivered = { state: 'delivered' } as const
const undelivered = { state: 'undelivered', detail: 'absent subscriber' } as const
const failed = { state: 'failed', code: 'no_network' } as const
const unknown = { state: 'failed', code: 'unknown_outcome' } as const

test('a successful message goes from handed to sent to delivered', () => {
  const { states, message, finishes } = play([accepted, sent, delivered])
  assert.deepEqual(states, ['handed', 'sent', 'delivered'])
  assert.equal(finishes, 1)
  assert.equal(message.handed_timestamp, '2026-05-01T10:00:00.000Z')
  assert.equal(message.answer_sent_timestamp, '2026-05-01T10:00:01.000Z')
  assert.equal(message.answer_2_timestamp, '2026-05-01T10:00:02.000Z')
})

test('reports in any order have the same result, and no state goes back', () => {
  const { states, message } = play([delivered, accepted, sent])
  assert.deepEqual(states, ['delivered', 'delivered', 'delivered'])
  assert.ok(message.handed_timestamp && message.answer_sent_timestamp)
})

test('a repeated report changes nothing', () => {
  const once = play([accepted, sent])
  const often = play([accepted, sent, sent, accepted, sent])
  assert.deepEqual(often.message, once.message)
  assert.deepEqual(often.attempt, once.attempt)
})

test('a delivery is noted once, even if a second attempt is delivered too', () => {
  const { message } = play([accepted, sent, delivered])
  const second = { ...fresh().attempt, attempt: 2 }
  const again = play([{ ...delivered, attempt: 2, detail: 'again' }], { message, attempt: second })
  assert.equal(again.attempt.state, 'delivered')
  assert.deepEqual(again.message, message)
})

test('a failure returns the parts that were not transmitted', () => {
  assert.equal(play([accepted, failed]).given_back, 3)
  assert.equal(play([accepted, { ...failed, parts: 1 }]).given_back, 2)
  assert.equal(play([accepted, failed, failed]).given_back, 3)
})

test('parts that were transmitted after all are no longer returned', () => {
  for (const late of [sent, delivered, undelivered]) {
    assert.equal(play([accepted, failed, late]).given_back, 0)
    assert.equal(play([accepted, { ...failed, parts: 1 }, late, sent, delivered]).given_back, 0)
  }
  const waiting = fresh()
  waiting.message.step = 'waiting'
  waiting.attempt.state = 'failed'
  waiting.attempt.parts = 0
  assert.equal(play([{ ...failed, parts: 2 }], waiting).given_back, -2)
})

test('an unknown outcome is uncertain and returns no parts, and a delivery report settles it', () => {
  const open = play([accepted, unknown])
  assert.equal(open.message.state, 'uncertain')
  assert.equal(open.given_back, 0)
  const good = play([accepted, unknown, delivered])
  assert.equal(good.message.state, 'delivered')
  assert.equal(good.message.error, null)
  const bad = play([accepted, unknown, undelivered])
  assert.equal(bad.message.state, 'failed')
  assert.equal(bad.message.answer_2, 'absent subscriber')
})

test('a failure after the message was sent changes nothing', () => {
  const { message, given_back } = play([accepted, sent, failed])
  assert.equal(message.state, 'sent')
  assert.equal(given_back, 0)
})

test('a delivery after the network has given up counts, and clears the error', () => {
  const { message } = play([accepted, sent, undelivered, delivered])
  assert.equal(message.state, 'delivered')
  assert.equal(message.error, null)
  assert.equal(message.answer_2, 'delivered')
  assert.equal(play([accepted, sent, delivered, undelivered]).message.state, 'delivered')
})

test('an undelivered message fails, with the reason as its second answer', () => {
  const { message } = play([accepted, sent, { ...undelivered, code: 'absent', block: true }])
  assert.equal(message.state, 'failed')
  assert.equal(message.answer_2, 'absent subscriber')
  assert.equal(message.error, 'absent')
  assert.equal(message.error_block, 1)
})

test('a message that expired here but was sent anyway is shown as sent', () => {
  const facts = fresh()
  facts.message.state = 'expired'
  facts.attempt.finished_at = '2026-05-01T09:00:00.000Z'
  const { message, finishes } = play([accepted, sent], facts)
  assert.equal(message.state, 'sent')
  assert.equal(finishes, 0)
})

test('a confirmed cancel leaves an expired message expired', () => {
  const facts = fresh()
  facts.message.state = 'expired'
  const { message, given_back } = play([{ state: 'failed', code: 'cancelled' }], facts)
  assert.equal(message.state, 'expired')
  assert.equal(given_back, 3)
})

test('with any reports in any order, the rank never falls, timestamps are set once, and parts are returned once', () => {
  const anyReport = fc.record({
    state: fc.constantFrom('accepted', 'sent', 'delivered', 'undelivered', 'failed'),
    code: fc.constantFrom(undefined, 'no_network', 'unknown_outcome', 'cancelled', 'expired'),
    parts: fc.constantFrom(undefined, 0, 1, 5),
  })
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 12 }), (reports) => {
      let rank = 0
      let handed: unknown = null
      let answered: unknown = null
      for (let length = 1; length <= reports.length; length++) {
        const { message, given_back, finishes } = play(reports.slice(0, length) as Partial<Report>[])
        assert.ok(rankOf(message) >= rank, `${message.state} after rank ${rank}`)
        rank = rankOf(message)
        if (handed !== null) assert.equal(message.handed_timestamp, handed)
        if (answered !== null) assert.equal(message.answer_sent_timestamp, answered)
        handed = message.handed_timestamp
        answered = message.answer_sent_timestamp
        assert.ok(given_back >= 0 && given_back <= 3)
        assert.ok(finishes <= 1)
      }
    }),
  )
})
