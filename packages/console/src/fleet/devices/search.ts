import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'

export const fleetFilters = ['all', 'connected', 'disconnected', 'disabled', 'quarantined'] as const
export type FleetFilter = (typeof fleetFilters)[number]

export const sortKeys = ['id', 'uid', 'status', 'location', 'created_at', 'enabled'] as const
export type SortKey = (typeof sortKeys)[number]

/** The screen's search parameters. Invalid ones are ignored. */
export const DeviceSearch = z.object({
  search: orNothing(z.optional(z.string())),
  show: orNothing(z.optional(z.enum(['connected', 'disconnected', 'disabled', 'quarantined']))),
  sort: orNothing(z.optional(z.enum(sortKeys))),
  desc: orNothing(z.optional(z.literal('true'))),
  /** The uids of the open rows, separated by commas. */
  open: orNothing(z.optional(z.string())),
  /** The device whose send form is open. */
  send: orNothing(z.optional(z.string())),
  /** The dialog that links a device, or the list of valid codes. */
  link: orNothing(z.optional(z.enum(['new', 'codes']))),
})
export type DeviceSearch = z.infer<typeof DeviceSearch>
