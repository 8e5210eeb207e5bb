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

/** Every write settles when it is on disk, and resolves to the item that it added to the outbox. */
export type Ledger = Omit<LedgerIndex, 'apply' | 'nextNumber'> & {
  /** Adds a new command, with its report `accepted`. */
  see: (uid: string, command: SendCommand, at: Date) => Promise<OutboxItem>
  /** A cancel of an unknown guid: if its command arrives later, it is not sent. */
  forbid: (uid: string, guid: string) => Promise<void>
  /** The radio begins: from now on this attempt never begins again. */
  sending: (uid: string, guid: string, attempt: number) => Promise<void>
  /** Records that the network accepted the message. Written by the simulated radio; tests compare reports with it. */
  onAir: (uid: string, guid: string, attempt: number, at: Date) => Promise<void>
  report: (uid: string, report: Report) => Promise<OutboxItem>
  receive: (uid: string, sms: InboxSms) => Promise<OutboxItem>
  /** Items of the outbox that the server has committed. */
  acknowledge: (uid: string, ns: readonly number[]) => Promise<void>
  /** Settles when everything written so far is on disk. */
  written: () => Promise<void>
  close: () => Promise<void>
  /** Closes like a kill -9: lines that the operating system does not have yet are lost. */
  abandon: () => void
}

/**
 * The ledger of a whole fleet: one append-only file of JSON lines. Each write is applied in memory at once and settles
 * when it is on disk. Lines of one turn of the event loop are written together; lines written during a sync share the
 * next sync. A last line torn by a crash is cut off, because its write was never confirmed.
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

/** Pause between two syncs. It uses a third of the processor time that syncs without a pause would. */
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

  /** Hands the lines of this turn to the operating system; they then survive a kill -9 of this process. */
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
    if (!syncing) closeSync(fd) // otherwise the running sync closes it
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
