import { instant } from '#server/core/clock.ts'
import { numberKey } from '#server/core/number-key.ts'
import type { Tx } from '#server/database/schema.ts'
import { simOf, homeLane, type Place } from './lanes.ts'
import { recipientStore } from './recipients.store.ts'

/** For so long a number keeps hearing from the device that wrote to it last. */
export const REMEMBER_MS = 30 * 86_400_000
/** A task waits for that device for so long, then any may take it. */
export const PATIENCE_MS = 10 * 60_000

type Asking = { message_to: string; from_number: string | null }

/**
 * Those of the tasks whose recipient hears from a device that is there and may send: they wait in its lane for a while,
 * unless they ask for a SIM that it has not.
 */
export async function usualPlaces<Task extends Asking>(
  tx: Tx,
  company_id: number,
  tasks: readonly Task[],
  now_ms: number,
): Promise<Map<Task, Place>> {
  const places = new Map<Task, Place>()
  if (tasks.length === 0) return places
  const recipients = recipientStore(tx, company_id)
  const numbers = tasks.map(({ message_to }) => numberKey(message_to))
  const usual = await recipients.devicesOf(numbers, instant(now_ms - REMEMBER_MS))
  if (usual.size === 0) return places
  const sims = new Map<string, Promise<boolean>>()
  for (const task of tasks) {
    const device_id = usual.get(numberKey(task.message_to))
    if (device_id === undefined) continue
    const sim = simOf(homeLane(task))
    const found =
      sim === undefined ||
      (await sims.getOrInsertComputed(`${device_id} ${sim}`, () => recipients.hasSim(device_id, sim)))
    if (found) places.set(task, { lane: `device:${device_id}`, lane_until: instant(now_ms + PATIENCE_MS) })
  }
  return places
}

/** The device has written to this number: it does so again while it can. */
export function rememberSender(
  tx: Tx,
  { company_id, device_id, message_to }: { company_id: number; device_id: number; message_to: string },
  now: string,
) {
  return recipientStore(tx, company_id).remember(numberKey(message_to), device_id, now)
}
