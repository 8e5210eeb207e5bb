import { channel } from 'node:diagnostics_channel'

/** Points between two durable steps. A crash at each of them tests a promise of the product. */
const points = {
  /** New messages are written in a transaction that is still open. */
  inserted: channel('sdd:inserted'),
  /** Messages are committed, but the client that submitted them has no response yet. */
  stored: channel('sdd:stored'),
  /** Messages are booked to devices in a transaction that is still open. */
  claimed: channel('sdd:claimed'),
  /** A command leaves for its device, which has not acknowledged it yet. */
  commanded: channel('sdd:commanded'),
  /** The device has acknowledged a command, but not reported the outcome. */
  acknowledged: channel('sdd:acknowledged'),
  /** A device's reports are applied in a transaction that is still open. */
  reported: channel('sdd:reported'),
  /** All rows of a transaction are written; its commit is next. */
  committing: channel('sdd:committing'),
  /** A callback is posted, but not answered yet. */
  posted: channel('sdd:posted'),
  /** Alerts and their messages to channels are written in a transaction that is still open. */
  alerting: channel('sdd:alerting'),
  /** They are committed, but no channel has been told. */
  alerted: channel('sdd:alerted'),
  /** The content of a message to a channel is committed, and the message is sent next. */
  prepared: channel('sdd:prepared'),
  /** The channel took the message, which is not committed yet. */
  taken: channel('sdd:taken'),
  /** That the channel was told is committed. */
  told: channel('sdd:told'),
} as const

export type CrashPoint = keyof typeof points

/**
 * Marks that the process has reached this point. The product itself has no listeners: `npm run torture` kills the
 * process here from outside (docs/reliability.md). Without a listener it costs one check.
 */
export function crashPoint(point: CrashPoint): void {
  if (points[point].hasSubscribers) points[point].publish(undefined)
}

/** Calls `met` each time the process reaches this point, before it continues. */
export function onCrashPoint(point: CrashPoint, met: () => void): void {
  points[point].subscribe(met)
}
