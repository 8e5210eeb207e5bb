import assert from 'node:assert/strict'
import { instant } from '#server/core/clock.ts'
import { DELIVERY_MS } from '#server/dispatch/reports/reports.ts'
import { ALL_MESSAGES } from '#test/message-tables.ts'
import { whyNot } from './hand-over.ts'
import { AGAIN_MS, latest, openOn } from './model.ts'
import type { Play } from './playing.ts'

/**
 * When the dispatcher has nothing left to do, no message that could go is waiting, and no device is owed a repetition.
 * Two waits are intended: a task waits for its recipient's usual device, and a device pauses if nothing fitted into its
 * day a moment ago.
 */
export async function nothingIsStuck(play: Play): Promise<void> {
  const { world, clock, messages, allDevices } = play
  const now_ms = clock.now()
  const now = instant(now_ms)
  const { read } = world.db
  const rows = await read.query<{ lane: string | null }>(`select lane from ${ALL_MESSAGES} order by id`)
  const aside = await read.query<{ id: number }>(
    'select device_id as id from capacity where aside_until > :now or next_slot_at > :now',
    { now },
  )
  const waits_since = instant(now_ms - DELIVERY_MS)
  assert.deepEqual(
    await read.query('select id from in_flight where completed_at <= :waits_since', { waits_since }),
    [],
    `a sent message waits no longer than ${DELIVERY_MS} ms for its delivery report`,
  )
  for (const [place, message] of messages.entries()) {
    const attempt = latest(message)
    const { company } = message
    const facts = {
      messages,
      devices: allDevices,
      company: play.companyOf(message),
      now_ms,
      day: clock.day(now_ms),
    }
    if (message.step === 'given') {
      const { device, again_ms, drop_ms } = attempt!
      const there = device.connected && device.enabled && facts.company.sending
      const owed = drop_ms === undefined && attempt!.said.size === 0 && again_ms <= now_ms
      assert.ok(!there || !owed, `${message.guid} goes out again after ${AGAIN_MS} ms`)
    }
    if (message.step !== 'waiting' || rows[place]!.lane?.startsWith('device:')) continue
    for (const device of allDevices) {
      // After a quarantine, a task goes only to a device without open messages.
      if (device.quarantined_until_ms !== undefined && openOn(messages, device) > 0) continue
      if (device.company !== company || aside.some(({ id }) => id === device.id)) continue
      assert.notEqual(
        whyNot(message, device, facts),
        undefined,
        `${message.guid} waits, and ${device.uid} could take it`,
      )
    }
  }
}
