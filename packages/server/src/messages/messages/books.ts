import { type Clock, instant } from '#server/core/clock.ts'
import type { Change, Counters, Figure, Messages, Tx } from '#server/database/schema.ts'
import { adjustDevices, type DeviceChanges } from '#server/fleet/devices/capacity.ts'
import { addToCounter } from './store.ts'

/** The columns that decide which callbacks a change of the message causes. */
export type MovedMessage = { id: number; task: 0 | 1 } & Pick<
  Messages,
  'company_id' | 'silent' | 'state' | 'step' | 'callback_url' | 'api_key_id'
>

/** Called after each change of a message, inside the transaction that made it. */
export type MoveListener = (tx: Tx, message: MovedMessage, change: Change<Messages>) => Promise<void>

/** What a function needs to move messages. Each unit of work opens a listener of its own. */
export type MoveNeeds = { readonly clock: Clock; openMoveListener(): MoveListener }

/** What one work adds up while it moves messages, and writes at its end: one statement each, however many there were. */
export type Books = {
  readonly clock: Clock
  /** To be called after each move. */
  readonly tellMoved: MoveListener
  /** Messages joined this counter (or left it, where negative): see `Counters`. */
  count(company_id: number, figure: Figure, period: string, key: string, messages: number): void
  /** An attempt of the device has ended: it leaves the window. */
  release(device_id: number): void
  /** SMS parts reserved on `day` did not go on air. */
  giveBack(device_id: number, parts: number, day: string): void
  /** To be called at the end of the work: what was added until then is lost otherwise. */
  write(tx: Tx): Promise<void>
}

export function openBooks({ clock, openMoveListener }: MoveNeeds): Books {
  const counters = new Map<string, Omit<Counters, 'last_at'>>()
  const devices: DeviceChanges = new Map()

  return {
    clock,
    tellMoved: openMoveListener(),
    count(company_id, figure, period, key, messages) {
      const name = `${figure} ${company_id} ${period} ${key}`
      const counter = counters.get(name)
      if (counter === undefined) counters.set(name, { figure, company_id, period, key, count: messages })
      else counter.count += messages
    },
    release: (device_id) => void changeOf(device_id).finished++,
    giveBack(device_id, parts, day) {
      if (parts > 0) changeOf(device_id).unused.push({ parts, day })
    },
    async write(tx) {
      const last_at = instant(clock.now())
      for (const counter of counters.values())
        if (counter.count !== 0) await addToCounter(tx, { ...counter, last_at })
      if (devices.size > 0) await adjustDevices(tx, devices)
    },
  }

  function changeOf(device_id: number) {
    return devices.getOrInsertComputed(device_id, () => ({ finished: 0, unused: [] }))
  }
}
