import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InboxSms } from '@sdd/contract/fleet/device-protocol.ts'
import { PARTS_WITHIN_MS } from '#agent/ledger/inbox.ts'
import { openBench } from '#test/ledgers.ts'
import vectors from '#test/vectors/concat-assembly.json' with { type: 'json' }
import { keepPdu } from './incoming.ts'

/** The number of incomplete messages that each case leaves. */
const INCOMPLETE: Record<string, number> = { 'nodepdu-dup': 1, 'nodepdu-clash': 2, 'two-senders-same-ref': 2 }

for (const { id, pdusInOrderOfArrival, sender, complete, text, note } of vectors.cases) {
  test(`${pdusInOrderOfArrival.length} parts make ${complete ? 'a' : 'no'} message: ${note ?? 'in order'} (${id})`, async () => {
    const { inbox, outbox, now, pass } = openBench()
    const keeper = {
      received: async () => assert.fail('a part is no message of its own'),
      receivedPart: async (part: Parameters<typeof inbox.receivePart>[0]) =>
        void inbox.receivePart(part, now()),
      delivery: async () => assert.fail('a part is no report'),
    }
    for (const pdu of pdusInOrderOfArrival) assert.ok(await keepPdu(keeper, pdu, now(), undefined))
    const whole = outbox.after(0, 10).map(({ payload }) => JSON.parse(payload) as InboxSms)
    assert.deepEqual(
      whole.map((sms) => [sms.text, sms.from]),
      complete ? [[text, sender]] : [],
    )
    pass(PARTS_WITHIN_MS)
    assert.equal(inbox.giveUpParts(now()), INCOMPLETE[id] ?? 0)
  })
}
