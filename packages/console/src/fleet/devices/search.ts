import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

export const fleetFilters = ['all', 'connected', 'disconnected', 'disabled', 'quarantined'] as const
export type FleetFilter = (typeof fleetFilters)[number]

export const sortKeys = ['id', 'uid', 'status', 'location', 'created_at', 'enabled'] as const
export type SortKey = (typeof sortKeys)[number]

/** The screen's search parameters. Invalid ones are ignored. */
export const DeviceSearch = z.object({
  search: orUndefined(z.optional(z.string())),
  show: orUndefined(z.optional(z.enum(['connected', 'disconnected', 'disabled', 'quarantined']))),
  sort: orUndefined(z.optional(z.enum(sortKeys))),
  desc: orUndefined(z.optional(z.literal('true'))),
  /** The uids of the open rows, separated by commas. */
  open: orUndefined(z.optional(z.string())),
  send: orUndefined(z.optional(z.string())),
  /** The dialog that links a device, or the list of valid codes. */
  link: orUndefined(z.optional(z.enum(['new', 'codes']))),
})
export type DeviceSearch = z.infer<typeof DeviceSearch>
