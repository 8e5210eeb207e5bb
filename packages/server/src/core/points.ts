import { channel } from 'node:diagnostics_channel'

/** Moments between two durable steps: where a crash tells whether a promise holds. */
const points = {
  /** New messages are written in a transaction that is still open. */
  inserted: channel('sdd:inserted'),
  /** Messages are committed; whoever handed them in has not been answered. */
  stored: channel('sdd:stored'),
  /** Messages are booked to devices in a transaction that is still open. */
  claimed: channel('sdd:claimed'),
  /** A command leaves for its device, which has not acknowledged it. */
  commanded: channel('sdd:commanded'),
  /** The device has acknowledged a command; what it made of it, it has not reported. */
  acknowledged: channel('sdd:acknowledged'),
  /** Reports of a device are applied in a transaction that is still open. */
  reported: channel('sdd:reported'),
  /** Everything of a transaction is written; its commit is next. */
  committing: channel('sdd:committing'),
  /** A callback is posted, and not answered. */
  posted: channel('sdd:posted'),
} as const

export type Point = keyof typeof points

/**
 * Says that the process is at this point. Nothing in the product listens: `npm run torture` ends the process here, from
 * outside of it (docs/reliability.md). Without a listener it costs a look.
 */
export function pass(point: Point): void {
  if (points[point].hasSubscribers) points[point].publish(undefined)
}

/** Calls `met` each time that the process is at this point, before it goes on. */
export function watchPoint(point: Point, met: () => void): void {
  points[point].subscribe(met)
}
