import type { Command } from '@sdd/contract/device-protocol.ts'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { type ReadyDevice, readyDevices, reserve, roomOf, setAside } from '#server/devices/queue.ts'
import type { Figures } from '#server/figures.ts'
import type { Live } from '#server/live/live.ts'
import type { Sending } from '#server/settings/sending.ts'
import { sendCancels } from './dropping.ts'
import { closeOverdue } from './expiry.ts'
import { note } from './state.ts'
import { attemptStore, messageStore } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  log: Logger
  sending: Pick<Sending, 'isOff'>
  /** False where the device has no connection to take it: it goes out again when the device is back. */
  publish(device_uid: string, command: Command): boolean
  figures: Pick<Figures, 'handedOver' | 'messages'>
}

/** A command without any report goes out again after so long. */
const RESEND_MS = 30_000
/** How often the loop looks when nobody wakes it: pacing slots, resends and expiries come due by themselves. */
const POLL_MS = 250
/** Devices, commands and expiries of one round: bounds how long one transaction lasts. */
const BATCH = 100
/** One transaction gives for so long: everybody else waits meanwhile. */
const ROUND_MS = 15
/** A device with room that nothing of its queue fits into is looked at again after so long. */
const ASIDE_MS = 5_000
/** More than a window may hold, so that one too big for today does not hide those that fit. */
const CANDIDATES = 30

/**
 * The dispatcher: a loop over rows. Each round closes what is overdue, sends again what no device has answered, and
 * gives devices what is due; each is one transaction, and commands leave after it. Waking it only makes it look
 * sooner: a crash at any point loses nothing, and a restart needs nothing more than the loop.
 */
export function startDispatch(needs: Needs): Loop {
  return startLoop({ name: 'dispatch', every_ms: POLL_MS, log: needs.log, work: () => round(needs) })
}

async function round(needs: Needs): Promise<number | undefined> {
  const full = [
    await closeOverdue(needs, BATCH),
    await sendCancels(needs),
    await resend(needs),
    await claim(needs),
  ]
  return full.includes(true) ? 0 : undefined
}

/** Gives devices what is due. True where there is probably more. */
async function claim({ db, clock, live, publish, figures }: Needs): Promise<boolean> {
  const now_ms = clock.now()
  const [now, day] = [instant(now_ms), clock.day(now_ms)]
  // A look without a lock first: most rounds find nothing, and those cost no write.
  if ((await readyDevices(db.read, now, day, 1)).length === 0) return false
  const { given, more } = await db.write(async (tx) => {
    const began = performance.now()
    const devices = await readyDevices(tx, now, day, BATCH)
    const given: { device: ReadyDevice; command: Command; queue_timestamp: string }[] = []
    let looked = 0
    for (const device of devices) {
      looked++
      for (const { queue_timestamp, ...command } of await takeDue(tx, device, now, day)) {
        given.push({ device, command, queue_timestamp })
      }
      if (performance.now() - began > ROUND_MS) break
    }
    return { given, more: looked < devices.length || devices.length === BATCH }
  })
  for (const { device, command, queue_timestamp } of given) {
    publish(device.uid, command)
    figures.handedOver.observe((clock.now() - Date.parse(queue_timestamp)) / 1000)
  }
  for (const company_id of new Set(given.map(({ device }) => device.company_id)))
    live.changed(company_id, 'logs')
  return more
}

/** What fits of the device's queue becomes attempts, booked against its window, day and slot. */
async function takeDue(tx: Tx, device: ReadyDevice, now: string, day: string) {
  const room = roomOf(device, day)
  const messages = messageStore(tx, { company_id: device.company_id })
  const taken = []
  let parts = 0
  for (const message of await messages.due(device.id, now, CANDIDATES)) {
    if (taken.length >= room.messages) break
    if (parts + message.parts > room.parts) continue
    parts += message.parts
    taken.push(message)
  }
  if (taken.length === 0) {
    await setAside(tx, device, instant(Date.parse(now) + ASIDE_MS))
    return []
  }
  for (const message of taken) {
    const attempt = message.attempt + 1
    const notes = note(message.notes, `${attempt}: given to ${device.uid}`, now)
    await messages.update(message.id, { attempt, step: 'given', notes, assigned_at: now })
    await attemptStore(tx).insert({
      message_id: message.id,
      attempt,
      device_id: device.id,
      device_uid: device.uid,
      parts: message.parts,
      day,
      given_at: now,
      resend_at: instant(Date.parse(now) + RESEND_MS),
      state: 'given',
    })
  }
  await reserve(tx, device, { messages: taken.length, parts, day, at: now })
  return taken.map((message) => ({
    ...sendCommand(message, message.attempt + 1),
    queue_timestamp: message.queue_timestamp,
  }))
}

/** Sends commands again that no device has answered. True where there is probably more. */
async function resend({ db, clock, publish }: Needs): Promise<boolean> {
  const now_ms = clock.now()
  const now = instant(now_ms)
  if ((await attemptStore(db.read).unanswered(now, 1)).length === 0) return false
  const again = await db.write(async (tx) => {
    const unanswered = await attemptStore(tx).unanswered(now, BATCH)
    const ids = unanswered.map(({ id }) => id)
    if (ids.length > 0) await attemptStore(tx).postpone(ids, instant(now_ms + RESEND_MS))
    return unanswered
  })
  for (const command of again) publish(command.uid, sendCommand(command, command.attempt))
  return again.length === BATCH
}

/** The device is connected again: what it has not answered goes out again at once. */
export async function resendTo(
  { db, clock, wake }: Pick<Needs, 'db' | 'clock'> & { wake(): void },
  device_id: number,
): Promise<void> {
  if (await attemptStore(db.read).anyUnanswered(device_id)) {
    await db.write((tx) => attemptStore(tx).resendTo(device_id, instant(clock.now())))
  }
  wake()
}

type Sendable = { guid: string; message: string; message_to: string; silent: 0 | 1; expires_at: string }

function sendCommand(message: Sendable, attempt: number) {
  const { guid, message_to: to, message: text, silent, expires_at } = message
  return { type: 'send', guid, attempt, to, text, ...(silent === 1 && { silent: true }), expires_at } as const
}
