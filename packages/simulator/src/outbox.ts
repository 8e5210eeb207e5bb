import { deviceInbox, deviceReports, MAX_REPORTS, type Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import type { Connection } from '#simulator/client.ts'
import type { Faults } from '#simulator/faults.ts'
import type { OutboxItem } from '#simulator/ledger-index.ts'
import type { Ledger } from '#simulator/ledger.ts'
import type { Random } from '#simulator/random.ts'
import type { Timers } from '#simulator/timers.ts'
import type { DeviceWatch } from '#simulator/watch.ts'

export type Outbox = {
  /** Adds a new item for the server to commit; it is already in the ledger. */
  add: (item: OutboxItem) => void
  /** Publishes an earlier report again (rule 1). */
  repeat: (report: Report) => void
  /** A connection on which the status was published. Everything that is not committed goes out again. */
  opened: (connection: Connection) => void
  closed: () => void
  /** An `ack` command confirmed the report (with an external broker, a PUBACK does not). */
  committed: (ack: Pick<Report, 'guid' | 'attempt' | 'state'>) => void
  /** The same for a received SMS, by its id. */
  committedSms: (id: string) => void
  /** Settles once nothing waits. */
  emptied: () => Promise<void>
}

export type OutboxNeeds = {
  uid: string
  acks: LinkedDevice['acks']
  ledger: Pick<Ledger, 'outbox' | 'acknowledge'>
  watch: Pick<DeviceWatch, 'reported' | 'acknowledged'>
  random: Random
  timers: Timers
  /** The current faults; they can change at any time. */
  faults: () => Faults
}

/** `n` is 0 for a repetition, which is not in the ledger. */
type Parcel = OutboxItem & { flying: boolean; dropped: boolean; overtakable: boolean; delayed: boolean }

/** How long a report waits to be overtaken, and how long any item waits for its `ack` command. */
const OVERTAKE_MS = 2_000
const ACK_MS = 30_000

/**
 * The items that wait for the server's commit, first in, first out. One publication is in flight at a time, with up to
 * 100 waiting reports, so a busy device batches by itself.
 */
export function openOutbox({ uid, acks, ledger, watch, random, timers, faults }: OutboxNeeds): Outbox {
  const topics = { reports: topicOf(deviceReports, { uid }), inbox: topicOf(deviceInbox, { uid }) }
  let waiting = ledger.outbox(uid).map((item) => parcel(item))
  let connection: Connection | undefined
  let publishing = false
  let whenEmpty: (() => void)[] = []

  function parcel(item: OutboxItem): Parcel {
    return { ...item, flying: false, dropped: false, overtakable: false, delayed: false }
  }

  function add(item: OutboxItem): void {
    const added = parcel(item)
    const { drop_report, delay_report, delay_ms, reorder_report } = faults()
    added.dropped = random.chance(drop_report)
    added.overtakable = random.chance(reorder_report)
    const wait = random.chance(delay_report) ? random.between(delay_ms) : added.overtakable ? OVERTAKE_MS : 0
    if (wait > 0) {
      added.delayed = true
      timers.after(wait, () => {
        added.delayed = false
        pump()
      })
    }
    waiting.push(added)
    pump()
  }

  /** The next parcels that may go together: one SMS, or consecutive reports. */
  function nextBatch(): Parcel[] {
    const batch: Parcel[] = []
    for (const parcel of waiting) {
      if (parcel.flying || parcel.dropped || parcel.delayed) continue
      if (parcel.sms) return batch.length > 0 ? batch : [parcel]
      if (batch.push(parcel) === MAX_REPORTS) break
    }
    return batch
  }

  function pump(): void {
    if (!connection || publishing) return
    const batch = nextBatch()
    if (batch.length === 0) return
    publishing = true
    for (const parcel of batch) parcel.flying = true
    publish(connection, batch).then(
      () => {
        publishing = false
        for (const parcel of waiting) if (parcel.overtakable) parcel.delayed = false
        if (acks === 'puback') settle(batch)
        else awaitAck(batch)
        pump()
      },
      () => undefined, // the connection ended: `opened` publishes them again
    )
  }

  function publish(connection: Connection, batch: readonly Parcel[]): Promise<void> {
    const sms = batch[0]?.sms
    if (sms) return connection.publish(topics.inbox, sms)
    const reports = batch.flatMap(({ report }) => report ?? [])
    const payload = reports.length === 1 ? reports[0] : reports
    watch.reported(reports)
    if (random.chance(faults().repeat_report))
      connection.publish(topics.reports, payload).catch(() => undefined)
    return connection.publish(topics.reports, payload)
  }

  function settle(batch: readonly Parcel[]): void {
    const gone = new Set(batch)
    waiting = waiting.filter((parcel) => !gone.has(parcel))
    watch.acknowledged(batch.flatMap(({ report }) => report ?? []))
    const ns = batch.map(({ n }) => n).filter((n) => n > 0)
    if (ns.length > 0) void ledger.acknowledge(uid, ns)
    if (waiting.length > 0) return
    for (const resolve of whenEmpty) resolve()
    whenEmpty = []
  }

  function awaitAck(batch: readonly Parcel[]): void {
    timers.after(ACK_MS, () => {
      for (const parcel of batch) parcel.flying = false
      pump()
    })
  }

  return {
    add,
    repeat: (report) => add({ n: 0, report }),
    opened(opened) {
      connection = opened
      publishing = false
      for (const parcel of waiting) parcel.flying = parcel.dropped = false
      pump()
    },
    closed() {
      connection = undefined
    },
    committed({ guid, attempt, state }) {
      settle(
        waiting.filter(
          ({ report }) => report?.guid === guid && report.attempt === attempt && report.state === state,
        ),
      )
    },
    committedSms: (id) => settle(waiting.filter(({ sms }) => sms?.id === id)),
    emptied: () =>
      waiting.length > 0 ? new Promise((resolve) => whenEmpty.push(resolve)) : Promise.resolve(),
  }
}
