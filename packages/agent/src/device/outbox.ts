import {
  deviceInbox,
  deviceReports,
  MAX_PAYLOAD_BYTES,
  MAX_REPORTS,
} from '@sdd/contract/fleet/device-protocol.ts'
import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import type { Clock } from '#agent/clock.ts'
import type { Outbox as OutboxRows, OutboxRow } from '#agent/ledger/outbox.ts'
import type { Connection } from './connection.ts'
import type { DiskRetry } from './disk-retry.ts'

type Outbox = {
  /** The ledger may have something new. */
  look: () => void
  /** A connection on which the status was published. All rows that the server has not confirmed are published again. */
  opened: (connection: Connection) => void
  closed: () => void
  /** Settles once nothing waits, or at once if there is no connection. */
  emptied: () => Promise<void>
}

type OutboxNeeds = {
  uid: string
  acks: LinkedDevice['acks']
  rows: OutboxRows
  diskRetry: DiskRetry
  clock: Clock
}

/** With an external broker (`acks: command`), items without an `ack` are published again after this long. */
const ACK_MS = 30_000

/**
 * Publishes the rows of the ledger, first in, first out. Of each kind one publication is in flight at a time, with one SMS
 * or up to 100 reports. So it batches after a time offline, and keeps the order of a message's reports. Reports do not
 * wait for SMS, whose PUBACKs the server delays if there are many.
 */
export function openOutbox({ uid, acks, rows, diskRetry, clock }: OutboxNeeds): Outbox {
  const topics = { report: topicOf(deviceReports, { uid }), sms: topicOf(deviceInbox, { uid }) }
  const pumps = [openPump('report'), openPump('sms')]
  let connection: Connection | undefined
  let stopWaitingForAcks: (() => void) | undefined
  let whenEmpty: (() => void)[] = []

  function openPump(kind: OutboxRow['kind']) {
    let publishing = false
    /** The last row that was published on this connection. */
    let cursor = 0

    function pump(): void {
      if (!connection || publishing) return
      const batch = nextBatch(rows.after(cursor, MAX_REPORTS, kind))
      if (batch.length === 0) return settleEmpty()
      publishing = true
      connection.publish(topics[kind], payloadOf(batch)).then(
        () => {
          publishing = false
          cursor = batch.at(-1)!.n
          if (acks === 'puback') void commit(batch)
          else waitForAcks()
          pump()
        },
        () => undefined, // the connection ended; the next one starts again at the first row
      )
    }

    return {
      pump,
      again() {
        cursor = 0
        pump()
      },
      opened() {
        publishing = false
        cursor = 0
        pump()
      },
    }
  }

  /** If this cannot be stored, the rows are published again, which is harmless. */
  async function commit(batch: readonly OutboxRow[]): Promise<void> {
    await diskRetry.untilStored(() => rows.committed(batch.map(({ n }) => n))).catch(() => undefined)
    settleEmpty()
  }

  function waitForAcks(): void {
    stopWaitingForAcks ??= clock.after(ACK_MS, () => {
      stopWaitingForAcks = undefined
      for (const { again } of pumps) again()
    })
  }

  function settleEmpty(): void {
    if (connection && rows.count() > 0) return
    for (const resolve of whenEmpty) resolve()
    whenEmpty = []
  }

  return {
    look() {
      for (const { pump } of pumps) pump()
    },
    opened(on) {
      connection = on
      for (const { opened } of pumps) opened()
    },
    closed() {
      connection = undefined
      stopWaitingForAcks?.()
      stopWaitingForAcks = undefined
      settleEmpty()
    },
    emptied() {
      const { promise, resolve } = Promise.withResolvers<void>()
      whenEmpty.push(resolve)
      settleEmpty()
      return promise
    },
  }
}

/** The first SMS, or the reports that one payload may have. The rows are of one kind. */
export function nextBatch(rows: readonly OutboxRow[]): OutboxRow[] {
  const [first] = rows
  if (first === undefined || first.kind === 'sms') return rows.slice(0, 1)
  const batch: OutboxRow[] = []
  let bytes = 2 // the brackets
  for (const row of rows) {
    bytes += Buffer.byteLength(row.payload) + 1
    if (batch.length === MAX_REPORTS || bytes > MAX_PAYLOAD_BYTES) break
    batch.push(row)
  }
  return batch
}

function payloadOf(batch: readonly OutboxRow[]): string {
  return batch.length === 1 ? batch[0]!.payload : `[${batch.map(({ payload }) => payload).join(',')}]`
}
