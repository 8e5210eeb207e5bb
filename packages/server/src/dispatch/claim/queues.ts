import { numberKey } from '#server/core/number-key.ts'
import type { Tx } from '#server/database/schema.ts'
import { otherCould, type ReadyDevice, simsOf } from '#server/fleet/devices/queue.ts'
import { ANY_DEVICE, deviceOf, type Lane, simLanes, simOf } from '#server/dispatch/lanes/lanes.ts'
import { waitingFor, waitingIn, type WaitingMessage } from './heads.ts'
import type { Turn } from './turns.ts'

/** Of what waits for one device alone: more than a window holds, so that one too big for today hides none that fits. */
const OWN_HEAD = 30
/** Of a lane that many devices serve: as many as one round gives, at most. */
export const LANE_HEAD = 100

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
    const { id, queued, sticky } = device
    const queues: Promise<WaitingMessage[]>[] = []
    if (queued > 0) queues.push(own(device))
    if (tasks > 0 && sticky > 0) queues.push(lane(device, `device:${id}`, OWN_HEAD))
    if (tasks > 0 && work?.any) queues.push(lane(device, ANY_DEVICE, LANE_HEAD))
    if (tasks > 0 && work?.sims) {
      for (const sim of await once(served, id, () => simLanes(tx, device)))
        queues.push(lane(device, sim, LANE_HEAD))
    }
    return Promise.all(queues)
  }

  function own(device: ReadyDevice): Promise<WaitingMessage[]> {
    return once(heads, `own ${device.id}`, () => waitingFor(tx, device, now, OWN_HEAD))
  }

  function lane({ company_id }: ReadyDevice, lane: Lane, limit: number): Promise<WaitingMessage[]> {
    return once(heads, `${company_id} ${lane}`, () => waitingIn(tx, { lane, company_id }, now, limit))
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
