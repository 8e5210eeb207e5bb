import { readList, readMessage, readStorageUse } from '#agent/at/answers.ts'
import type { Channel } from '#agent/at/channel.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import type { Keeper } from '#agent/driver.ts'
import { messageOf } from '#agent/say.ts'
import { askIfKnown } from './ask.ts'
import { keepPdu, timeOf } from './incoming.ts'
import type { Profile } from './setup.ts'

export type Inbox = {
  /**
   * Hands on the messages that were delivered directly. With `poll` it also reads every storage: hands on each message,
   * oldest first, and deletes it once it is on disk. A message that cannot be kept stays in its slot. Runs once at a
   * time, and can take as long as the disk does; never rejects.
   */
  tend: (line: Line, poll: boolean) => Promise<void>
  /** The modem delivered a message or report directly. */
  push: (pdu: string) => void
  /** The modem stored a message or a report at this place. */
  stored: (place: Place) => void
  /** A storage is full; null if the modem does not name it. */
  full: (storage: string | null) => void
  /** A sentence for the operator about a full memory or a failing disk; undefined if all is well. */
  alarm: () => string | undefined
}

/** The modem as it is now. A restart or a new port makes a new `Line`. */
type Line = { channel: Pick<Channel, 'ask'>; profile: Pick<Profile, 'storages' | 'acknowledges'> }

/** A slot in one of the modem's storages. */
type Place = { storage: string; index: number }

/** Between two lines of a list; a list of some hundred messages takes minutes at 9600 baud. */
const LIST_MS = 30_000
/** A disk that takes this long is probably full. */
const SLOW_DISK_MS = 10_000

export function openInbox(needs: {
  keeper: Pick<Keeper, 'received' | 'receivedPart' | 'delivery'>
  clock: Clock
  /** The number of the SIM, if known. */
  sim: () => string | undefined
  /** The present set-up; undefined while there is none. */
  profile: () => Line['profile'] | undefined
}): Inbox {
  const { keeper, clock, sim } = needs
  const pushed: string[] = []
  const full = new Set<string>()
  let some_full = false
  /** Slots that the modem announced, by storage. */
  const announced = new Map<string, Set<number>>()
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
      // The modem is starting. The work goes on once it is set up.
      if (needs.profile() !== on.profile) return
      const poll = poll_wanted
      poll_wanted = false
      try {
        await drain(on)
        if (poll) {
          for (const storage of on.profile.storages) await pollStorage(on, storage)
          some_full = false
        }
      } catch {
        // Either the disk or the line failed, which is reported elsewhere. On a new line it may work.
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

  async function pollStorage(on: Line, storage: string): Promise<void> {
    const { channel } = on
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
      sound = await takeFrom(on, message.index)
    }
    // No list, or one with wrong indexes: read slot by slot.
    if (!sound && use) await readPlaces(on, use)
    // Some modems neither list nor count reports.
    const named = announced.get(storage) ?? new Set()
    for (const index of named) {
      if (!messages.some((message) => message.index === index)) await takeFrom(on, index)
      named.delete(index)
    }
    const after = await askIfKnown(channel, `AT+CPMS="${storage}"`)
    const now = after?.map(readStorageUse).find(Boolean)
    if (now && now.total > 0 && now.used >= now.total) full.add(storage)
    else full.delete(storage)
  }

  /**
   * Reads the slot itself before deleting it, so that it deletes the message that it kept: some lists have wrong
   * indexes. False if the slot is empty.
   */
  async function takeFrom({ channel, profile }: Line, index: number): Promise<boolean> {
    const lines = await askIfKnown(channel, `AT+CMGR=${index}`, { timeout_ms: LIST_MS })
    const message = lines && readMessage(lines)
    if (!message) return false
    if (message.status > 1 || !(await keep(message.pdu))) return true
    // The disk or an earlier command may have been slow. A modem that restarted has selected another storage.
    const still = (): boolean => needs.profile() === profile
    if (still()) await askIfKnown(channel, `AT+CMGD=${index}`, { still })
    if (!still()) throw new Error('the modem was set up again')
    return true
  }

  async function readPlaces(on: Line, { used, total }: { used: number; total: number }) {
    let left = used
    for (let index = 0; index <= total && left > 0; index++) if (await takeFrom(on, index)) left--
  }

  return {
    tend(on, poll) {
      line = on
      poll_wanted ||= poll
      running ??= run().finally(() => (running = undefined))
      return running
    },
    push(pdu) {
      // The network sends an unacknowledged message again.
      if (!pushed.includes(pdu)) pushed.push(pdu)
    },
    stored: ({ storage, index }) => void announced.getOrInsertComputed(storage, () => new Set()).add(index),
    full(storage) {
      if (storage === null) some_full = true
      else full.add(storage)
    },
    alarm() {
      const slow = keeping_since !== undefined && clock.uptime() - keeping_since >= SLOW_DISK_MS
      const why = unkept ?? (slow ? 'is the disk full?' : undefined)
      if (why !== undefined) return `incoming messages cannot be stored and stay in the modem: ${why}`
      if (full.size > 0) return `the SMS memory ${[...full].join(', ')} is full`
      return some_full ? 'an SMS memory of the modem is full' : undefined
    },
  }
}
