import * as z from 'zod/mini'
import { CompanyQuery, Instant } from '@sdd/contract/core/fields.ts'
import { MessageState } from '@sdd/contract/messages/messages.ts'
import { route } from '@sdd/contract/core/route.ts'
import { WaitingReason } from '@sdd/contract/dispatch/waiting.ts'

const Count = z.int().check(z.gte(0))

/** In seconds; null if nothing was measured. Computed from a histogram, accurate to about a tenth. */
const Percentiles = z.object({
  p50_secs: z.nullable(z.number()),
  p95_secs: z.nullable(z.number()),
})
export type Percentiles = z.infer<typeof Percentiles>

/** The messages queued in one hour, by their current state. */
export const DashboardHour = z.object({
  /** The start of the hour. */
  hour: Instant,
  states: z.record(MessageState, Count),
})
export type DashboardHour = z.infer<typeof DashboardHour>

/** After this long a disconnected device counts as away. Earlier, it may only have lost its network. */
export const AWAY_AFTER_HOURS = 1

export const Dashboard = z.object({
  at: Instant,
  devices: z.object({ total: Count, connected: Count, disconnected: Count, disabled: Count }),
  /** The last day, one sample every 5 minutes, oldest first. */
  connected: z.array(z.object({ at: Instant, connected: Count, total: Count })),
  /** Each mobile operator's devices, most devices first; at most eight. */
  carriers: z.array(
    z.object({
      /** As the devices reported it; null for devices that never did. */
      carrier: z.nullable(z.string()),
      connected: Count,
      total: Count,
      /** The connected share in each of the last 24 hours, 0 to 1, oldest first; null without samples. */
      hours: z.array(z.nullable(z.number())),
    }),
  ),
  /** The enabled devices that have been disconnected for at least an hour. */
  away: z.object({
    count: Count,
    /** The longest away first; at most ten. `since`: when it disconnected or, if it never connected, was linked. */
    devices: z.array(z.object({ device_uid: z.string(), since: Instant })),
  }),
  /** The last hours including the current one, oldest first: 48, to compare today with yesterday, or as many as asked for. */
  hours: z.array(DashboardHour),
  /** Over the last 24 hours. */
  times: z.object({
    /** From queued to accepted by the device. */
    handover: Percentiles,
    /** From accepted by the network to the delivery report. */
    delivery: Percentiles,
  }),
  /** Today, most failures first; at most ten. */
  by_device: z.array(z.object({ device_uid: z.string(), sent: Count, delivered: Count, failed: Count })),
  /** Today's failures by code, most frequent first; at most ten. */
  failures: z.array(z.object({ code: z.string(), count: Count, last_at: Instant })),
  waiting: z.array(z.object({ reason: WaitingReason, count: Count, devices: Count })),
  /** Devices that have used at least 80 % of today's limit, fullest first; at most ten. */
  limits: z.array(z.object({ device_uid: z.string(), sent_today: Count, max_sms_dayly: Count })),
})
export type Dashboard = z.infer<typeof Dashboard>

/** The counters of messages are kept for this many hours. */
export const DASHBOARD_HOURS = 192

/** Up to `DASHBOARD_HOURS`. */
const Hours = z.pipe(
  z.string().check(z.regex(/^([1-9]|[1-9]\d|1[0-8]\d|19[0-2])$/, 'must be 1 to 192')),
  z.transform(Number),
)

export const readDashboard = route('GET /api/dashboard', {
  summary:
    "The dashboard's figures, from counters that are updated with each message. `hours` is how many hours of them, 48 if absent. A superadmin may name a company.",
  query: z.extend(CompanyQuery, { hours: z.optional(Hours) }),
  reply: Dashboard,
  errors: ['unknown_company'],
})
