import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '#agent/sqlite.ts'

/** The disk did not take the write: it is full, read-only, or does not answer. A later retry may help. */
export class Unwritable extends Error {}

export type LedgerFile = {
  readonly db: DatabaseSync
  /**
   * Runs `work` as one transaction, and returns when it is on disk. If `work` throws, nothing is stored. Throws
   * `Unwritable` if the disk does not take it.
   */
  write: <T>(work: () => T) => T
  /** Throws `Unwritable` if too little space is left for new work. */
  requireRoom: () => void
  close: () => void
}

/** Reserved for the outcomes of accepted work: some hundred of them. */
const RESERVE_BYTES = 4 * 1024 * 1024

const VERSION = 4

/** SQLite result codes for faults of the disk, not of the program: readonly, I/O, full, cannot open. */
const DISK_CODES = [8, 10, 13, 14]

/**
 * Opens or creates the ledger. WAL with `synchronous = full`: a commit survives kill -9 and a power failure. Throws an
 * Error that names the file if it is not a ledger, or was written by a newer agent.
 */
export function openLedgerFile(path: string, room = bytesFree): LedgerFile {
  const db = openDatabase(path)

  function write<T>(work: () => T): T {
    try {
      db.exec('begin immediate')
      const result = work()
      db.exec('commit')
      return result
    } catch (error) {
      undo()
      throw isOfDisk(error) ? new Unwritable((error as Error).message, { cause: error }) : error
    }
  }

  function undo(): void {
    try {
      db.exec('rollback')
    } catch {
      // SQLite has rolled back already, as it does on a full disk.
    }
  }

  return {
    db,
    write,
    requireRoom() {
      if (room(path) < RESERVE_BYTES) throw new Unwritable('less than 4 MiB are free')
    },
    close: () => db.close(),
  }
}

function openDatabase(path: string): DatabaseSync {
  try {
    const db = openSqlite(path)
    db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000')
    const { user_version } = db.prepare('pragma user_version').get() as { user_version: number }
    if (user_version > VERSION) throw new Error(`it was written by a newer agent (version ${user_version})`)
    const changes = user_version === 0 ? SCHEMA : CHANGES.slice(user_version - 1).join('')
    if (user_version < VERSION) db.exec(`begin; ${changes} pragma user_version = ${VERSION}; commit`)
    return db
  } catch (cause) {
    throw new Error(`Cannot open the ledger ${path}: ${(cause as Error).message}`, { cause })
  }
}

function isOfDisk(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number }
  return code === 'ERR_SQLITE_ERROR' && DISK_CODES.includes((errcode ?? 0) & 0xff)
}

function bytesFree(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}

/** When each device's list of sent SMS was first and last looked at. */
const TYPED_SCHEMA = `
  create table typed_place (
    uid text primary key,
    began_at text not null,
    at text not null
  ) strict, without rowid;
`

/** The changes since the first version. */
const CHANGES = [
  'alter table command add column iccid text;',
  TYPED_SCHEMA,
  'update long_sms_part set text = json_quote(text);',
]

/** Times are ISO 8601 texts in UTC with milliseconds, so that they sort by time. */
const SCHEMA = `
  create table command (
    n integer primary key autoincrement,
    uid text not null,
    guid text not null,
    attempt integer not null,
    number text not null,
    text text not null,
    sender text,
    iccid text,
    silent integer not null,
    expires_at text,
    seen_at text not null,
    step text not null check (step in ('waiting', 'sending', 'over')),
    sending_at text,
    ended_at text,
    report text not null,
    unique (uid, guid, attempt)
  ) strict;
  create index command_open on command (uid, n) where step <> 'over';
  create index command_ended on command (ended_at) where step = 'over';

  create table part (
    command integer not null references command (n) on delete cascade,
    n integer not null,
    of integer not null,
    reference text,
    sent_at text not null,
    delivery text,
    primary key (command, n)
  ) strict, without rowid;
  create index part_reference on part (reference);

  create table stray_delivery (
    n integer primary key autoincrement,
    uid text not null,
    reference text not null,
    report text not null,
    kept_at text not null
  ) strict;

  create table forbidden (
    uid text not null,
    guid text not null,
    at text not null,
    primary key (uid, guid)
  ) strict, without rowid;

  create table outbox (
    n integer primary key autoincrement,
    uid text not null,
    kind text not null check (kind in ('report', 'sms')),
    guid text,
    attempt integer,
    state text,
    payload text not null,
    unique (uid, guid, attempt, state)
  ) strict;
  create index outbox_of on outbox (uid, n);

  create table received (
    uid text not null,
    id text not null,
    at text not null,
    primary key (uid, id)
  ) strict, without rowid;

  create table long_sms (
    n integer primary key autoincrement,
    uid text not null,
    sender text not null,
    ref integer not null,
    ref_bits integer not null,
    of integer not null,
    sim text,
    kept_at text not null
  ) strict;
  create index long_sms_of on long_sms (uid, sender);

  create table long_sms_part (
    long_sms integer not null references long_sms (n) on delete cascade,
    n integer not null,
    id text not null,
    text text not null,
    at text not null,
    primary key (long_sms, n)
  ) strict, without rowid;

  ${TYPED_SCHEMA}
`
