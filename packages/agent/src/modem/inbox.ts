import { readList, readMessage, readStorageUse, type Stored } from '#agent/at/answers.ts'
import type { Channel } from '#agent/at/channel.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import type { Keeper } from '#agent/driver.ts'
import { askIfKnown } from './ask.ts'
import { keepPdu, timeOf } from './incoming.ts'

export type Inbox = {
  /**
   * Reads every storage: hands on what is there, oldest first, and deletes each message once it is on disk. One that
   * cannot be kept stays where it is.
   */
  poll: (channel: Pick<Channel, 'ask'>, storages: readonly string[]) => Promise<void>
  /** A message or report that came by itself. */
  push: (pdu: string) => void
  /** Hands on what came by itself, and acknowledges it where that is wanted. */
  drain: (channel: Pick<Channel, 'ask'>, acknowledges: boolean) => Promise<void>
  /** What a person should know: a full memory, a disk that takes nothing; undefined for nothing. */
  alarm: () => string | undefined
  full: (storage: string | null) => void
}

/** A list of some hundred messages at 9600 baud takes minutes; this is from one line of it to the next. */
const LIST_MS = 30_000

export function openInbox(needs: {
  keeper: Pick<Keeper, 'received' | 'receivedPart' | 'delivery'>
  clock: Clock
  /** The number of the SIM, where it is known. */
  sim: () => string | undefined
}): Inbox {
  const { keeper, clock, sim } = needs
  const pushed: string[] = []
  const full = new Set<string>()
  let unkept: string | undefined

  const keep = (pdu: string): Promise<boolean> => keepPdu(keeper, pdu, isoNow(clock), sim())

  async function pollStorage(channel: Pick<Channel, 'ask'>, storage: string): Promise<void> {
    const selected = await askIfKnown(channel, `AT+CPMS="${storage}"`)
    if (!selected) return
    const use = selected.map(readStorageUse).find(Boolean)
    const listed = await askIfKnown(channel, 'AT+CMGL=4', { timeout_ms: LIST_MS })
    const messages = readList(listed ?? []).filter(({ status }) => status <= 1)
    const ordered = messages
      .map((message) => ({ message, time: timeOf(message.pdu) }))
      .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    let sound = listed !== undefined && (readList(listed).length > 0 || !use?.used)
    for (const { message } of ordered) {
      if (!sound) break
      sound = await takeFrom(channel, message.index, message.pdu)
    }
    // No list, or one whose indexes lead elsewhere: one place after the other.
    if (!sound && use) await readPlaces(channel, use)
    const after = await askIfKnown(channel, `AT+CPMS="${storage}"`)
    const now = after?.map(readStorageUse).find(Boolean)
    if (now && now.total > 0 && now.used >= now.total) full.add(storage)
    else full.delete(storage)
  }

  /**
   * Reads the place again before anything is deleted from it: what is deleted is what was kept. False where something
   * else is there than was listed.
   */
  async function takeFrom(channel: Pick<Channel, 'ask'>, index: number, listed?: string): Promise<boolean> {
    const lines = await askIfKnown(channel, `AT+CMGR=${index}`, { timeout_ms: LIST_MS })
    const message: Omit<Stored, 'index'> | undefined = lines && readMessage(lines)
    if (!message || (listed !== undefined && message.pdu !== listed)) return false
    if (message.status <= 1 && (await keep(message.pdu))) await askIfKnown(channel, `AT+CMGD=${index}`)
    return true
  }

  async function readPlaces(channel: Pick<Channel, 'ask'>, { used, total }: { used: number; total: number }) {
    let left = used
    for (let index = 0; index <= total && left > 0; index++) if (await takeFrom(channel, index)) left--
  }

  /** What the disk does not take now is tried again with the next poll. */
  async function whileKept(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      unkept = undefined
    } catch (error) {
      if (!(error instanceof Error) || error.name === 'AtError') throw error
      unkept = `what came in cannot be stored and stays in the modem: ${error.message}`
    }
  }

  return {
    poll: (channel, storages) =>
      whileKept(async () => {
        for (const storage of storages) await pollStorage(channel, storage)
      }),
    push(pdu) {
      // The network sends again what was not acknowledged.
      if (!pushed.includes(pdu)) pushed.push(pdu)
    },
    drain: (channel, acknowledges) =>
      whileKept(async () => {
        for (let pdu = pushed[0]; pdu !== undefined; pdu = pushed[0]) {
          await keep(pdu)
          pushed.shift()
          if (acknowledges) await askIfKnown(channel, 'AT+CNMA')
        }
      }),
    alarm: () => unkept ?? (full.size > 0 ? `the SMS memory ${[...full].join(', ')} is full` : undefined),
    full: (storage) => void full.add(storage ?? 'SM'),
  }
}
