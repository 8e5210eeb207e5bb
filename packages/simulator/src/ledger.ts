import { appendFileSync, closeSync, fdatasync, mkdirSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { InboxSms, Report, SendCommand } from '@sdd/contract/device-protocol.ts'
import {
  acceptedReport,
  openLedgerIndex,
  type LedgerIndex,
  type LedgerLine,
  type OutboxItem,
} from '#simulator/ledger-index.ts'

/** Every write settles when it is on disk, and answers what it put into the outbox. */
export type Ledger = Omit<LedgerIndex, 'apply' | 'nextNumber'> & {
  /** A command seen for the first time, with its report `accepted`. */
  see: (uid: string, command: SendCommand, at: Date) => Promise<OutboxItem>
  /** A cancel of a guid that the device has not seen: should its command still come, it is not sent. */
  forbid: (uid: string, guid: string) => Promise<void>
  /** The radio begins: whatever happens from here on, this attempt never begins again. */
  sending: (uid: string, guid: string, attempt: number) => Promise<void>
  /** What the network saw, written by the simulated radio: the truth that tests compare reports with. */
  onAir: (uid: string, guid: string, attempt: number, at: Date) => Promise<void>
  report: (uid: string, report: Report) => Promise<OutboxItem>
  receive: (uid: string, sms: InboxSms) => Promise<OutboxItem>
  /** Items of the outbox that the server has committed. */
  acknowledge: (uid: string, ns: readonly number[]) => Promise<void>
  /** Settles when everything written so far is on disk. */
  written: () => Promise<void>
  close: () => Promise<void>
  /** Closes as a kill -9 would: what was not yet handed to the operating system is gone. */
  abandon: () => void
}

/**
 * The ledger of a whole fleet: one file of JSON lines that only grows. Every write is applied in memory at once and
 * settles when it is on disk; the lines of one turn of the event loop are written together, and those written while
 * the disk was busy share its next sync. A last line torn by a crash is cut off: nobody was told that it is kept.
 */
export async function openLedger(path: string): Promise<Ledger> {
  mkdirSync(dirname(path), { recursive: true })
  const { apply, nextNumber, ...index } = openLedgerIndex()
  await replay(path, apply)
  const file = openAppender(path)

  function write(line: LedgerLine): Promise<void> {
    apply(line)
    return file.append(`${JSON.stringify(line)}\n`)
  }

  return {
    ...index,
    async see(uid, command, at) {
      const n = nextNumber()
      await write({ kind: 'seen', n, uid, at: at.toISOString(), command })
      return { n, report: acceptedReport(command, at.toISOString()) }
    },
    forbid: (uid, guid) => write({ kind: 'forbidden', uid, guid }),
    sending: (uid, guid, attempt) => write({ kind: 'sending', uid, guid, attempt }),
    onAir: (uid, guid, attempt, at) => write({ kind: 'on_air', uid, guid, attempt, at: at.toISOString() }),
    async report(uid, report) {
      const n = nextNumber()
      await write({ kind: 'report', n, uid, report })
      return { n, report }
    },
    async receive(uid, sms) {
      const n = nextNumber()
      await write({ kind: 'inbox', n, uid, sms })
      return { n, sms }
    },
    acknowledge: (uid, ns) => write({ kind: 'acknowledged', uid, ns: [...ns] }),
    written: file.written,
    close: file.close,
    abandon: file.abandon,
  }
}

async function replay(path: string, apply: (line: LedgerLine) => void): Promise<void> {
  await using file = await open(path, 'a+', 0o600)
  await cutTornLine(file)
  let number = 0
  for await (const line of file.readLines({ start: 0, autoClose: false })) {
    number++
    try {
      apply(JSON.parse(line) as LedgerLine)
    } catch (cause) {
      throw new Error(`The ledger ${path} is damaged at line ${number}`, { cause })
    }
  }
}

/** Lines are at most a payload long, so the last whole one ends within the last 256 KiB. */
async function cutTornLine(file: Awaited<ReturnType<typeof open>>): Promise<void> {
  const { size } = await file.stat()
  const start = Math.max(0, size - 256 * 1024)
  const tail = Buffer.alloc(size - start)
  await file.read(tail, 0, tail.length, start)
  const end = start + tail.lastIndexOf('\n') + 1
  if (end < size) await file.truncate(end)
}

function openAppender(path: string) {
  const fd = openSync(path, 'a', 0o600)
  let lines: string[] = []
  let batch = Promise.withResolvers<void>()
  let latest = Promise.resolve()
  let unsynced: (typeof batch)[] = []
  let syncing = false
  let abandoned = false
  let broken: Error | undefined

  /** Hands the lines of this turn to the operating system: from here on they survive a kill -9 of this process. */
  function writeOut(): void {
    if (abandoned) return
    try {
      if (broken) throw broken
      appendFileSync(fd, lines.join(''))
    } catch (error) {
      broken = error as Error
    }
    lines = []
    unsynced.push(batch)
    batch = Promise.withResolvers()
    if (!syncing) sync()
  }

  function sync(): void {
    const settling = unsynced
    unsynced = []
    syncing = true
    fdatasync(fd, (error) => {
      syncing = false
      if (abandoned) return closeSync(fd)
      broken ??= error ?? undefined
      for (const { resolve, reject } of settling) broken ? reject(broken) : resolve()
      if (unsynced.length > 0) sync()
    })
  }

  return {
    append(line: string): Promise<void> {
      if (lines.push(line) === 1) setImmediate(writeOut)
      latest = batch.promise
      return latest
    },
    written: () => latest,
    async close() {
      await latest
      closeSync(fd)
    },
    abandon() {
      abandoned = true
      if (!syncing) closeSync(fd)
    },
  }
}
