import { readList, readMessage, readStorageUse } from '#agent/at/answers.ts'
import type { Channel } from '#agent/at/channel.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import type { Keeper } from '#agent/driver.ts'
import { askIfKnown } from './ask.ts'
import { keepPdu, timeOf } from './incoming.ts'
import type { Profile } from './setup.ts'

export type Inbox = {
  /**
   * Hands on what came by itself, and with `poll` reads every storage too: hands on what is there, oldest first, and
   * deletes each message once it is on disk. What cannot be kept stays where it is. One run at a time, and it may take
   * as long as the disk does; never rejects.
   */
  tend: (line: Line, poll: boolean) => Promise<void>
  /** A message or report that came by itself. */
  push: (pdu: string) => void
  /** The modem says that it stored a message or a report there. */
  told: (place: Place) => void
  /** A storage is full; null where the modem does not say which. */
  full: (storage: string | null) => void
  /** What a person should know: a full memory, a disk that takes nothing; undefined for nothing. */
  alarm: () => string | undefined
}

/** The modem as it is now; after a restart or an unplugging it is another one. */
export type Line = { channel: Pick<Channel, 'ask'>; profile: Pick<Profile, 'storages' | 'acknowledges'> }

/** Where a message is stored. */
export type Place = { storage: string; index: number }

/** A list of some hundred messages at 9600 baud takes minutes; this is from one line of it to the next. */
const LIST_MS = 30_000
/** A disk that takes so long is full, or worse. */
const SLOW_DISK_MS = 10_000

export function openInbox(needs: {
  keeper: Pick<Keeper, 'received' | 'receivedPart' | 'delivery'>
  clock: Clock
  /** The number of the SIM, where it is known. */
  sim: () => string | undefined
}): Inbox {
  const { keeper, clock, sim } = needs
  const pushed: string[] = []
  const full = new Set<string>()
  let some_full = false
  /** Places that the modem named, by storage. */
  const told = new Map<string, Set<number>>()
  let unkept: string | undefined
  let keeping_since: number | undefined
  let line: Line | undefined
  let poll_wanted = false
  let running: Promise<void> | undefined

  async function keep(pdu: string): Promise<boolean> {
    keeping_since = clock.uptime()
    try {
      const kept = await keepPdu(keeper, pdu, isoNow(clock), sim())
      unkept = undefined
      return kept
    } catch (error) {
      unkept = messageOf(error)
      throw error
    } finally {
      keeping_since = undefined
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      const on = line!
      const poll = poll_wanted
      poll_wanted = false
      try {
        await drain(on)
        if (poll) {
          for (const storage of on.profile.storages) await pollStorage(on.channel, storage)
          some_full = false
        }
      } catch {
        // The disk, or the line, which others see to. Over another line it may work.
        poll_wanted ||= poll && line !== on
        if (line === on) return
      }
      if (!poll_wanted && pushed.length === 0) return
    }
  }

  async function drain({ channel, profile }: Line): Promise<void> {
    for (let pdu = pushed[0]; pdu !== undefined; pdu = pushed[0]) {
      await keep(pdu)
      pushed.shift()
      if (profile.acknowledges) await askIfKnown(channel, 'AT+CNMA')
    }
  }

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
      sound = await takeFrom(channel, message.index)
    }
    // No list, or one whose indexes lead elsewhere: one place after the other.
    if (!sound && use) await readPlaces(channel, use)
    // Some modems list no reports, and do not count them either.
    const named = told.get(storage) ?? new Set()
    for (const index of named) {
      if (!messages.some((message) => message.index === index)) await takeFrom(channel, index)
      named.delete(index)
    }
    const after = await askIfKnown(channel, `AT+CPMS="${storage}"`)
    const now = after?.map(readStorageUse).find(Boolean)
    if (now && now.total > 0 && now.used >= now.total) full.add(storage)
    else full.delete(storage)
  }

  /**
   * Reads the place itself before anything is deleted from it, so that what is deleted is what was kept: some lists have
   * indexes that lead elsewhere. False where nothing is there.
   */
  async function takeFrom(channel: Pick<Channel, 'ask'>, index: number): Promise<boolean> {
    const lines = await askIfKnown(channel, `AT+CMGR=${index}`, { timeout_ms: LIST_MS })
    const message = lines && readMessage(lines)
    if (!message) return false
    if (message.status <= 1 && (await keep(message.pdu))) await askIfKnown(channel, `AT+CMGD=${index}`)
    return true
  }

  async function readPlaces(channel: Pick<Channel, 'ask'>, { used, total }: { used: number; total: number }) {
    let left = used
    for (let index = 0; index <= total && left > 0; index++) if (await takeFrom(channel, index)) left--
  }

  return {
    tend(on, poll) {
      line = on
      poll_wanted ||= poll
      running ??= run().finally(() => (running = undefined))
      return running
    },
    push(pdu) {
      // The network sends again what was not acknowledged.
      if (!pushed.includes(pdu)) pushed.push(pdu)
    },
    told: ({ storage, index }) => void told.getOrInsertComputed(storage, () => new Set()).add(index),
    full(storage) {
      if (storage === null) some_full = true
      else full.add(storage)
    },
    alarm() {
      const slow = keeping_since !== undefined && clock.uptime() - keeping_since >= SLOW_DISK_MS
      const why = unkept ?? (slow ? 'is the disk full?' : undefined)
      if (why !== undefined) return `what came in cannot be stored and stays in the modem: ${why}`
      if (full.size > 0) return `the SMS memory ${[...full].join(', ')} is full`
      return some_full ? 'an SMS memory of the modem is full' : undefined
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
