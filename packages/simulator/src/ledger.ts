import { appendFileSync, closeSync, fdatasync, openSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { InboxSms, Report, SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
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

/** Between two syncs: a third of the processor time that one right after the other takes. */
const PAUSE_MS = 3

async function replay(path: string, apply: (line: LedgerLine) => void): Promise<void> {
  await using file = await openFile(path)
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

async function openFile(path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true })
    return await open(path, 'a+', 0o600)
  } catch (cause) {
    throw new Error(`Cannot open the ledger ${path}: ${(cause as Error).message}`, { cause })
  }
}

/** Lines are at most a payload long, so the last whole one ends within the last 256 KiB. */
async function cutTornLine(file: FileHandle): Promise<void> {
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
  let closed = false
  let broken: Error | undefined

  /** Hands the lines of this turn to the operating system: from here on they survive a kill -9 of this process. */
  function writeOut(): void {
    if (closed) return
    try {
      if (broken) throw broken
      appendFileSync(fd, lines.join(''))
    } catch (cause) {
      broken ??= unwritable(cause as Error)
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
      if (closed) return closeSync(fd)
      if (error) broken ??= unwritable(error)
      for (const { resolve, reject } of settling) broken ? reject(broken) : resolve()
      if (unsynced.length > 0) setTimeout(sync, PAUSE_MS)
      else syncing = false
    })
  }

  function unwritable(cause: Error): Error {
    return new Error(`Cannot write the ledger ${path}: ${cause.message}`, { cause })
  }

  function abandon(): void {
    if (closed) return
    closed = true
    if (!syncing) closeSync(fd) // else the sync under way does
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
      abandon()
    },
    abandon,
  }
}
