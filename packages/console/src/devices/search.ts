import * as z from 'zod/mini'

export const fleetFilters = ['all', 'connected', 'disconnected', 'disabled'] as const
export type FleetFilter = (typeof fleetFilters)[number]

export const sortKeys = ['id', 'uid', 'status', 'location', 'created_at', 'enabled'] as const
export type SortKey = (typeof sortKeys)[number]

/** The screen's address; what it does not understand it leaves out. */
export const DeviceSearch = z.object({
  search: z.catch(z.optional(z.string()), undefined),
  show: z.catch(z.optional(z.enum(['connected', 'disconnected', 'disabled'])), undefined),
  sort: z.catch(z.optional(z.enum(sortKeys)), undefined),
  desc: z.catch(z.optional(z.literal('true')), undefined),
  /** The uids of the open rows, with commas between them. */
  open: z.catch(z.optional(z.string()), undefined),
  /** The device whose send form is open. */
  send: z.catch(z.optional(z.string()), undefined),
})
export type DeviceSearch = z.infer<typeof DeviceSearch>
