import type { InboxSms, Report, TypedSms } from '@sdd/contract/fleet/device-protocol.ts'
import type { LedgerFile } from './file.ts'

/** One item for the server to commit: a report, or an SMS that was received or typed. */
export type OutboxRow = { readonly n: number; readonly kind: 'report' | 'sms'; readonly payload: string }

/** Items that wait for the server's commit, first in, first out. Call `addReport` and `addSms` inside a `write`. */
export type Outbox = {
  addReport: (report: Report) => void
  addSms: (sms: InboxSms | TypedSms) => void
  /** The next rows after number `n`, at most `limit`; of one kind, if it is given. */
  after: (n: number, limit: number, kind?: OutboxRow['kind']) => OutboxRow[]
  /** The server has committed these rows. */
  committed: (ns: readonly number[]) => void
  /** The server confirmed this report with an `ack` command (`acks: command`). */
  committedReport: (report: Pick<Report, 'guid' | 'attempt' | 'state'>) => void
  /** The same for a received SMS, by its id. */
  committedSms: (id: string) => void
  count: () => number
}

export function openOutboxRows({ db, write }: LedgerFile, uid: string): Outbox {
  // A report that waits already is not added again.
  const insert = db.prepare(`
    insert into outbox (uid, kind, guid, attempt, state, payload) values (?, ?, ?, ?, ?, ?)
    on conflict do nothing`)
  const select = db.prepare(`
    select n, kind, payload from outbox where uid = ? and n > ? and kind = coalesce(?, kind) order by n limit ?`)
  const remove = db.prepare('delete from outbox where n = ? and uid = ?')
  const removeReport = db.prepare(
    'delete from outbox where uid = ? and guid = ? and attempt = ? and state = ?',
  )
  const removeSms = db.prepare(
    `delete from outbox where uid = ? and kind = 'sms' and json_extract(payload, '$.id') = ?`,
  )
  const count = db.prepare('select count(*) as count from outbox where uid = ?')
  return {
    addReport(report) {
      insert.run(uid, 'report', report.guid, report.attempt, report.state, JSON.stringify(report))
    },
    addSms: (sms) => void insert.run(uid, 'sms', null, null, null, JSON.stringify(sms)),
    after: (n, limit, kind) => select.all(uid, n, kind ?? null, limit) as OutboxRow[],
    committed(ns) {
      write(() => {
        for (const n of ns) remove.run(n, uid)
      })
    },
    committedReport: ({ guid, attempt, state }) =>
      void write(() => removeReport.run(uid, guid, attempt, state)),
    committedSms: (id) => void write(() => removeSms.run(uid, id)),
    count: () => (count.get(uid) as { count: number }).count,
  }
}
