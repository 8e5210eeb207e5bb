import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

export const fleetFilters = [
  'all',
  'connected',
  'disconnected',
  'disabled',
  'maintenance',
  'exhausted',
  'quarantined',
] as const
export type FleetFilter = (typeof fleetFilters)[number]

/** The columns that a user may show in addition to those of the user specification. */
export const extraColumns = ['last_seen_at', 'carrier', 'signal', 'sent_today'] as const
export type ExtraColumn = (typeof extraColumns)[number]

export const sortKeys = [
  'id',
  'uid',
  'status',
  'location',
  'created_at',
  'enabled',
  ...extraColumns,
  'problems',
] as const
export type SortKey = (typeof sortKeys)[number]

/** The screen's search parameters. Invalid ones are ignored. */
export const DeviceSearch = z.object({
  search: orUndefined(z.optional(z.string())),
  show: orUndefined(
    z.optional(z.enum(['connected', 'disconnected', 'disabled', 'maintenance', 'exhausted', 'quarantined'])),
  ),
  /** The devices of this mobile operator; of none, if it is empty. */
  carrier: orUndefined(z.optional(z.string())),
  /** The devices with this tag. */
  tag: orUndefined(z.optional(z.string())),
  /** The devices that report this agent; none, if it is empty. */
  agent: orUndefined(z.optional(z.string())),
  sort: orUndefined(z.optional(z.enum(sortKeys))),
  desc: orUndefined(z.optional(z.literal('true'))),
  /** The uids of the open rows, separated by commas. */
  open: orUndefined(z.optional(z.string())),
  send: orUndefined(z.optional(z.string())),
  /** The dialog that links a device, or the list of valid codes. */
  link: orUndefined(z.optional(z.enum(['new', 'codes']))),
  /** The columns and the order can be chosen, or the dialog with the versions of the agents is open. */
  view: orUndefined(z.optional(z.enum(['open', 'agents']))),
})
export type DeviceSearch = z.infer<typeof DeviceSearch>

/** The periods of a device's charts. */
export const historySpans = ['24h', '7d', '30d'] as const
export type HistorySpan = (typeof historySpans)[number]

/** The orders with a dialog of their own. */
export const orderDialogs = ['ussd', 'restart_radio', 'logs', 'configure'] as const
export type OrderDialogName = (typeof orderDialogs)[number]

/** The search parameters of the page of one device. */
export const DevicePageSearch = z.object({
  dialog: orUndefined(
    z.optional(z.enum(['edit', 'limit', 'maintenance', 'secret', 'unlink', 'send', ...orderDialogs])),
  ),
  /** The period of its charts; seven days if absent. */
  span: orUndefined(z.optional(z.enum(historySpans))),
})
export type DevicePageSearch = z.infer<typeof DevicePageSearch>
