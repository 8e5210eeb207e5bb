/**
 * The queue of a task without a device. A device serves its company's lane for any device, the lanes of its SIMs and
 * tags, those of routes that allow it, and its own lane. It reads only the head of each lane, so tasks that cannot be
 * sent cost nothing, however many there are.
 */
export type Lane =
  | typeof ANY_DEVICE
  | `sim:${string}`
  | `tag:${string}`
  | `route:${string}`
  | `device:${number}`
  | typeof LATER

/** Any device of the company may take it. */
export const ANY_DEVICE = ''
/** Holds tasks until their `lane_until`. No device may take them before. */
export const LATER = 'later'
/** In the place of a tag: no device, as none can have it. */
export const NO_DEVICE = ''
/** In the place of a tag: every device. */
export const EVERY_DEVICE = '*'
/** No tags, or no numbers of SIMs. */
export const NO_NAMES: ReadonlySet<string> = new Set()

/** The devices that a lane is for: with this SIM and with one of these tags. Those with `or` come after the others. */
export type LaneDevices = { sim: string | undefined; via: string | undefined; or: string | undefined }

const EVERY: LaneDevices = { sim: undefined, via: undefined, or: undefined }

export function laneFor({ sim, via, or }: LaneDevices): Lane {
  if (via === undefined) return sim === undefined ? ANY_DEVICE : `sim:${sim}`
  // No tag and no number contains a slash.
  return sim === undefined && or === undefined ? `tag:${via}` : `route:${via}/${or ?? ''}/${sim ?? ''}`
}

/** The devices of a lane that several devices may serve. */
export function devicesOfLane(lane: string | null): LaneDevices {
  const kind = lane?.slice(0, lane.indexOf(':') + 1)
  if (kind === 'sim:') return { ...EVERY, sim: lane!.slice(kind.length) }
  if (kind === 'tag:') return { ...EVERY, via: lane!.slice(kind.length) }
  if (kind !== 'route:') return EVERY
  const [via, or, sim] = lane!.slice(kind.length).split('/')
  return { sim: sim || undefined, via, or: or || undefined }
}

/** The tags of the devices that a lane is for; none if it does not matter. */
export function tagsOfLane({ via, or }: LaneDevices): readonly string[] {
  if (via === undefined || or === EVERY_DEVICE) return []
  return or === undefined ? [via] : [via, or]
}

/** The lane of a task that any device can take, unless the task itself names a SIM or a tag. */
export function homeLane({ from_number, via }: { from_number: string | null; via: string | null }): Lane {
  return via === null ? laneFor({ ...EVERY, sim: from_number ?? undefined }) : laneFor({ ...EVERY, via })
}

/** The device that a lane is for. */
export function deviceOf(lane: string | null): number | undefined {
  return lane?.startsWith('device:') ? Number(lane.slice('device:'.length)) : undefined
}

/** Whether a device that has these tags and SIMs serves the lane. */
export function serves(
  { sim, via, or }: LaneDevices,
  { tags, sims }: { tags: ReadonlySet<string>; sims: ReadonlySet<string> },
): boolean {
  if (sim !== undefined && !sims.has(sim)) return false
  if (via === undefined || tags.has(via)) return true
  return or !== undefined && (or === EVERY_DEVICE || tags.has(or))
}
