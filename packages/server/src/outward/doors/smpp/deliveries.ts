import type { Logger } from 'pino'
import { type Clock, HOUR_MS, instant } from '#server/core/clock.ts'
import type { KeyCaller } from '#server/core/context.ts'
import { startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { deliveryStore } from './deliveries.store.ts'

type Needs = { db: Database; clock: Clock; log: Logger }

/** A bind that receives. */
export type Receiver = {
  /** The `deliver_sm` that it may be sent now. */
  free(): number
  /** Resolves to the status of the response; `undefined` if there is none. */
  deliver(body: Buffer): Promise<number | undefined>
}

export type Deliveries = {
  /** Notes that the key receives, so that it gets SMS of the next 7 days. */
  note(caller: KeyCaller): Promise<void>
  /** Returns a function that forgets the bind. */
  add(caller: KeyCaller, receiver: Receiver): () => void
  stop(): Promise<void>
}

const LOOK_MS = 500
/** A refused one is tried again after this time. */
const AGAIN_MS = 10_000
/** Longer than a program may take to answer: no other server tries it meanwhile. */
export const DELIVERY_CLAIM_MS = 90_000
const NOTE_MS = HOUR_MS

/** Delivers the stored receipts and received SMS to binds of their keys, at least once. */
export function startDeliveries({ db, clock, log }: Needs): Deliveries {
  const receivers = new Map<number, Set<Receiver>>()
  const callers = new Map<number, KeyCaller>()
  /** The bind that refused or did not answer each of these. */
  const refusedBy = new Map<number, Receiver>()
  /** Outcomes to write: `undefined` is delivered, otherwise the time of the next try. */
  const settled = new Map<number, string | undefined>()
  let noted_ms = performance.now()

  async function note({ api_key_id, may }: KeyCaller): Promise<void> {
    if (!may.includes('inbox:read')) return
    await db.write((tx) => deliveryStore(tx).noteReceiver(api_key_id, instant(clock.now())))
  }

  async function writeSettled(): Promise<void> {
    const writing = [...settled]
    if (writing.length === 0) return
    await db.write(async (tx) => {
      for (const [id, due_at] of writing)
        if (due_at === undefined) await deliveryStore(tx).remove(id)
        else await deliveryStore(tx).claim(id, due_at)
    })
    for (const [id] of writing) settled.delete(id)
  }

  /** Claims as many as the binds of the key may be sent. */
  async function claim(api_key_id: number, most: number) {
    const now = instant(clock.now())
    if (most === 0 || (await deliveryStore(db.read).due(api_key_id, now, 1)).length === 0) return []
    return db.write(async (tx) => {
      const due = await deliveryStore(tx).due(api_key_id, now, most)
      for (const { id } of due) await deliveryStore(tx).claim(id, instant(clock.now() + DELIVERY_CLAIM_MS))
      return due
    })
  }

  function send(to: ReadonlySet<Receiver>, { id, body }: { id: number; body: string }): void {
    const free = [...to].filter((one) => one.free() > 0)
    const others = free.filter((one) => one !== refusedBy.get(id))
    const receiver = (others.length > 0 ? others : free).toSorted((a, b) => b.free() - a.free())[0]
    refusedBy.delete(id)
    if (receiver === undefined) return void settled.set(id, instant(clock.now()))
    void receiver.deliver(Buffer.from(body, 'hex')).then((status) => {
      const wait_ms = status === undefined ? 0 : AGAIN_MS
      if (status !== 0 && to.has(receiver)) refusedBy.set(id, receiver)
      settled.set(id, status === 0 ? undefined : instant(clock.now() + wait_ms))
      loop.wake()
    })
  }

  async function round(): Promise<void> {
    await writeSettled()
    for (const [api_key_id, to] of receivers) {
      const most = [...to].reduce((sum, one) => sum + one.free(), 0)
      for (const due of await claim(api_key_id, most)) send(to, due)
    }
  }

  /** Notes again the binds that stay open for days. */
  async function noteAgain(): Promise<void> {
    if (performance.now() - noted_ms < NOTE_MS) return
    for (const caller of callers.values()) await note(caller)
    noted_ms = performance.now()
  }

  const loop = startLoop({
    name: 'smpp-deliveries',
    every_ms: LOOK_MS,
    log,
    async work() {
      await noteAgain()
      await round()
    },
  })
  return {
    note,
    add(caller, receiver) {
      const { api_key_id } = caller
      receivers.getOrInsertComputed(api_key_id, () => new Set()).add(receiver)
      callers.set(api_key_id, caller)
      loop.wake()
      return () => {
        const left = receivers.get(api_key_id)
        left?.delete(receiver)
        for (const [id, one] of refusedBy) if (one === receiver) refusedBy.delete(id)
        if (left?.size === 0) {
          receivers.delete(api_key_id)
          callers.delete(api_key_id)
        }
      }
    },
    async stop() {
      await loop.stop()
      await writeSettled()
    },
  }
}
