import { numberKey } from '#server/core/number-key.ts'
import type { Tx } from '#server/database/schema.ts'
import { otherCould, type ReadyDevice, simsOf } from '#server/fleet/devices/capacity.ts'
import { ANY_DEVICE, deviceOf, type Lane, simLanes, simOf } from '#server/dispatch/lanes/lanes.ts'
import { queueHeads, type WaitingMessage } from './store.ts'
import type { Turn } from './turns.ts'

/**
 * The heads of all queues that one round of the dispatcher looks at, each read once. What is taken from a lane that
 * several devices serve is gone for all of them.
 */
export function openQueues(tx: Tx, now: string) {
  const heads = new Map<string, Promise<WaitingMessage[]>>()
  const served = new Map<number, Promise<Lane[]>>()
  const others = new Map<string, Promise<boolean>>()
  const sims = new Map<number, Promise<Set<string>>>()

  /**
   * Takes the first message of all its queues that the device may be given and that fits. Where there is none: `unfit`
   * if others wait there, else `nothing`.
   */
  async function take(turn: Turn): Promise<WaitingMessage | 'unfit' | 'nothing'> {
    let empty = true
    let found: { head: WaitingMessage[]; place: number; message: WaitingMessage } | undefined
    for (const head of await queuesOf(turn)) {
      empty &&= head.length === 0
      const place = await firstThatFits(head, turn)
      const message = head[place]
      if (message && (found === undefined || goesBefore(message, found.message)))
        found = { head, place, message }
    }
    found?.head.splice(found.place, 1)
    return found?.message ?? (empty ? 'nothing' : 'unfit')
  }

  async function queuesOf({ device, work, tasks }: Turn): Promise<WaitingMessage[][]> {
    const { id, company_id, queued, sticky } = device
    const queues: Promise<WaitingMessage[]>[] = []
    const store = queueHeads(tx, company_id, now)
    if (queued > 0) queues.push(once(heads, `own ${id}`, () => store.ofDevice(id)))
    if (tasks > 0 && sticky > 0) {
      const own: Lane = `device:${id}`
      queues.push(once(heads, `${company_id} ${own}`, () => store.ofDeviceLane(own)))
    }
    const shared: Lane[] = []
    if (tasks > 0 && work?.any) shared.push(ANY_DEVICE)
    if (tasks > 0 && work?.sims) shared.push(...(await once(served, id, () => simLanes(tx, device))))
    for (const lane of shared)
      queues.push(once(heads, `${company_id} ${lane}`, () => store.ofSharedLane(lane)))
    return Promise.all(queues)
  }

  async function firstThatFits(head: readonly WaitingMessage[], { device, parts }: Turn): Promise<number> {
    for (const [place, message] of head.entries()) {
      if (message.parts > parts) continue
      if (!(await hasSimFor(message, device))) continue
      // It failed on this device: another one takes it, where there is one that could.
      if (message.avoid_device_id === device.id && (await anotherCould(message, device))) continue
      return place
    }
    return -1
  }

  /** A task that waits for this very device may ask for a SIM that is not in it any more. */
  async function hasSimFor({ lane, from_number }: WaitingMessage, { id }: ReadyDevice): Promise<boolean> {
    if (from_number === null || deviceOf(lane) === undefined) return true
    return (await once(sims, id, () => simsOf(tx, id))).has(numberKey(from_number))
  }

  function anotherCould({ lane, parts }: WaitingMessage, device: ReadyDevice): Promise<boolean> {
    const task = { parts, sim: simOf(lane) }
    return once(others, `${device.id} ${lane} ${parts}`, () => otherCould(tx, device, now, task))
  }

  return { take }
}

function goesBefore(one: WaitingMessage, other: WaitingMessage): boolean {
  return one.priority === other.priority ? one.id < other.id : one.priority < other.priority
}

function once<Key, Value>(
  known: Map<Key, Promise<Value>>,
  key: Key,
  find: () => Promise<Value>,
): Promise<Value> {
  return known.getOrInsertComputed(key, find)
}
