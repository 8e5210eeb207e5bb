import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAnnouncements } from './announcing.ts'
import { instant, systemClock } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { hearWord } from '#server/messages/keywords/hearing.ts'
import { alertSubjects } from '#server/outward/alerts/subjects.store.ts'
import { usualSim } from '#server/people/conversations/usual-sim.ts'
import { untilOneWaits } from '#test/lock-waits.ts'
import { openTwoDatabases } from '#test/two-databases.ts'

/** Nothing may be queued for a device that is being unlinked at another server: no device would ever send it. */
const NUMBER = '+34600111222'
const clock = systemClock('Europe/Madrid')
const now = instant(clock.now())
const FROM = { company_id: 1, device_id: 1, uid: 'drone', connection_id: '', connection: 1 }

let one: Database
let other: Database

before(async () => {
  ;({ one, other } = await openTwoDatabases(now))
  await one.write(async (tx) => {
    const sms = { sms_id: 'a', sms_from: NUMBER, text: 'hola', sms_at: now, received_at: now }
    await tx.insert('inbox', [{ company_id: 1, device_id: 1, sim: null, message_id: null, ...sms }])
    const keyword = { word: 'INFO', word_key: 'info', action: 'answer', answer: 'Hola' } as const
    await tx.insert('keywords', [{ company_id: 1, ...keyword }])
  })
})
after(() => Promise.all([one.close(), other.close()]))

const CHOICES: Record<string, (tx: Tx) => Promise<unknown>> = {
  'the usual device of a conversation': (tx) =>
    usualSim(tx, { kept: () => undefined } as never, 1, NUMBER).then((sim) => sim?.device_id),
  'a device for an SMS of an alert': (tx) =>
    alertSubjects(tx, 1).senderBut({
      uids: [],
      iccids: [],
      failed_guid: null,
      parts: 1,
      day: clock.day(clock.now()),
      now,
    }),
  'the answer of a keyword': (tx) =>
    hearWord(
      tx,
      { ...openAnnouncements(clock), destinations: { of: async () => undefined } } as never,
      FROM,
      { number: NUMBER, text: 'info', sim: null },
    ).then(({ answered }) => answered || undefined),
}

for (const [choice, choose] of Object.entries(CHOICES))
  test(`${choice} waits for the end of its unlinking, and then finds no device`, async () => {
    await other.write((tx) => tx.query('update devices set unlinked_at = null'))
    const unlinked = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const unlinking = other.write(async (tx) => {
      // A statement without rows is not awaited.
      await tx.query(`update devices set unlinked_at = '${now}' returning id`)
      unlinked.resolve()
      await commit.promise
    })
    await unlinked.promise
    const chosen = one.write(choose)
    await Promise.race([chosen, untilOneWaits(other)])
    commit.resolve()
    await unlinking
    assert.equal(await chosen, undefined)
    await other.write((tx) => tx.query('update devices set unlinked_at = null'))
    assert.notEqual(await one.write(choose), undefined, 'it is found while it is linked')
  })
