import { Report, type SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import type { Outcome, Outgoing } from '#agent/driver.ts'
import type { LedgerFile } from './file.ts'
import type { Outbox } from './outbox.ts'
import { accepted, cancelled, diedSending, expired, outcomeReport } from './reports.ts'

/** A send command that the device has received, and its progress. */
export type Entry = Outgoing & {
  readonly n: number
  readonly step: 'waiting' | 'sending' | 'over'
  /** The latest report. */
  readonly report: Report
}

/** Each change returns once it is on disk, together with its report. Throws `Unwritable`. */
export type Commands = {
  /** Accepts a command. A `new` one waits for the radio; a known one repeats its latest report (rule 1). */
  see: (command: SendCommand, at: string) => 'new' | 'known' | 'forbidden'
  /** Cancels a message that is not on air yet; otherwise repeats its latest report. A cancelled guid is never sent. */
  cancel: (guid: string, at: string) => 'cancelled' | 'too late' | 'never seen'
  /** The first entry that waits for the radio. */
  next: () => Entry | undefined
  waiting: () => number
  /** The numbers of the entries that wait for the radio. */
  queue: () => number[]
  /** Reports the waiting entries that have expired. */
  expire: (now: string) => Entry[]
  /** Marks the entry as on air (rule 2). False if it no longer waits, or has expired: then nothing may go on air. */
  beginSending: (entry: Entry, at: string) => boolean
  partSent: (entry: Entry, part: { n: number; of: number; reference: string | null }, at: string) => void
  /** Stores the outcome of an entry. No effect if the entry is over. */
  end: (entry: Entry, outcome: Outcome, at: string) => void
  /** At the start: reports the entries that an earlier run left on air. */
  recover: (at: string) => Entry[]
}

type CommandNeeds = {
  file: LedgerFile
  uid: string
  outbox: Outbox
  /** Applies delivery reports that arrived too early. Called inside the same `write`. */
  settle: (command: number, at: string) => void
}

export function openCommands({ file, uid, outbox, settle }: CommandNeeds): Commands {
  const { db, write } = file
  const insert = db.prepare(`
    insert into command (uid, guid, attempt, number, text, sender, iccid, silent, expires_at, seen_at, step, ended_at,
      report)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const find = db.prepare('select * from command where uid = ? and guid = ? and attempt = ?')
  const latest = db.prepare('select * from command where uid = ? and guid = ? order by attempt desc limit 1')
  const byStep = db.prepare('select * from command where uid = ? and step = ? order by n')
  const first = db.prepare(`select * from command where uid = ? and step = 'waiting' order by n limit 1`)
  const overdue = db.prepare(`
    select * from command where uid = ? and step = 'waiting' and expires_at <= ? order by n`)
  const count = db.prepare(`select count(*) as count from command where uid = ? and step = 'waiting'`)
  const numbers = db.prepare(`select n from command where uid = ? and step = 'waiting'`)
  const begin = db.prepare(`
    update command set step = 'sending', sending_at = ?1
    where n = ?2 and step = 'waiting' and (expires_at is null or expires_at > ?1)`)
  const finish = db.prepare(`
    update command set step = 'over', ended_at = ?, report = ? where n = ? and step <> 'over'`)
  const insertPart = db.prepare(`
    insert into part (command, n, of, reference, sent_at) values (?, ?, ?, ?, ?) on conflict do nothing`)
  const partsOf = db.prepare('select count(*) as sent, max(of) as of from part where command = ?')
  const forbid = db.prepare('insert into forbidden (uid, guid, at) values (?, ?, ?) on conflict do nothing')
  const isForbidden = db.prepare('select 1 from forbidden where uid = ? and guid = ?')

  function store(command: SendCommand, step: Entry['step'], report: Report): void {
    const { guid, attempt, to, text, from = null, iccid = null, silent, expires_at = null } = command
    const ended_at = step === 'over' ? report.at : null
    const { at: seen_at } = report
    const row = [uid, guid, attempt, to, text, from, iccid, Number(silent === true), expires_at]
    insert.run(...row, seen_at, step, ended_at, JSON.stringify(report))
    outbox.addReport(report)
  }

  function close(entry: Entry, report: Report, at: string): boolean {
    if (finish.run(at, JSON.stringify(report), entry.n).changes === 0) return false
    outbox.addReport(report)
    settle(entry.n, at)
    return true
  }

  function sentParts({ n }: Entry): { sent: number; of: number | undefined } {
    const { sent, of } = partsOf.get(n) as { sent: number; of: number | null }
    return { sent, of: of ?? undefined }
  }

  /** The report about an entry left on air. If the network accepted every part, it was sent even without an outcome. */
  function recovered(entry: Entry, at: string): Report {
    const { sent, of } = sentParts(entry)
    return sent > 0 && sent === of
      ? outcomeReport(entry, { state: 'sent', parts: sent }, of, at)
      : diedSending(entry, sent, at)
  }

  return {
    see: (command, at) =>
      write(() => {
        const { guid, attempt } = command
        const known = entryOf(find.get(uid, guid, attempt))
        if (known) {
          outbox.addReport(known.report)
          return 'known'
        }
        file.requireRoom()
        if (isForbidden.get(uid, guid)) {
          store(command, 'over', cancelled(command, at))
          return 'forbidden'
        }
        store(command, 'waiting', accepted(command, at))
        return 'new'
      }),
    cancel: (guid, at) =>
      write(() => {
        const entry = entryOf(latest.get(uid, guid))
        if (entry?.step !== 'sending') forbid.run(uid, guid, at)
        if (entry?.step === 'waiting') {
          close(entry, cancelled(entry, at), at)
          return 'cancelled'
        }
        outbox.addReport(entry?.report ?? cancelled({ guid, attempt: 1 }, at))
        return entry ? 'too late' : 'never seen'
      }),
    next: () => entryOf(first.get(uid)),
    waiting: () => (count.get(uid) as { count: number }).count,
    queue: () => (numbers.all(uid) as { n: number }[]).map(({ n }) => n),
    expire(now) {
      if (overdue.get(uid, now) === undefined) return []
      return write(() => {
        const entries = overdue.all(uid, now).map(toEntry)
        for (const entry of entries) close(entry, expired(entry, entry.expires_at!, now), now)
        return entries
      })
    },
    beginSending: (entry, at) =>
      write(() => {
        file.requireRoom()
        return begin.run(at, entry.n).changes === 1
      }),
    partSent(entry, { n, of, reference }, at) {
      write(() => {
        insertPart.run(entry.n, n, of, reference, at)
        settle(entry.n, at)
      })
    },
    end(entry, outcome, at) {
      write(() => {
        const { sent, of } = sentParts(entry)
        const parts = Math.max(outcome.parts, sent)
        close(entry, outcomeReport(entry, { ...outcome, parts }, of, at), at)
      })
    },
    recover: (at) =>
      write(() => {
        const entries = byStep.all(uid, 'sending').map(toEntry)
        return entries.map((entry) => {
          const report = recovered(entry, at)
          close(entry, report, at)
          return { ...entry, report }
        })
      }),
  }
}

type Row = {
  n: number
  guid: string
  attempt: number
  number: string
  text: string
  sender: string | null
  iccid: string | null
  silent: 0 | 1
  expires_at: string | null
  step: Entry['step']
  report: string
}

function entryOf(row: Record<string, unknown> | undefined): Entry | undefined {
  return row && toEntry(row)
}

function toEntry(row: Record<string, unknown>): Entry {
  const { n, guid, attempt, number, text, sender, iccid, silent, expires_at, step, report } = row as Row
  return {
    n,
    guid,
    attempt,
    to: number,
    text,
    ...(sender !== null && { from: sender }),
    ...(iccid !== null && { iccid }),
    ...(silent === 1 && { silent: true }),
    ...(expires_at !== null && { expires_at }),
    step,
    report: Report.parse(JSON.parse(report)),
  }
}
