import * as z from 'zod/mini'
import { Instant } from '@sdd/contract/core/fields.ts'
import { MessageState } from '@sdd/contract/messages/messages.ts'
import { route } from '@sdd/contract/core/route.ts'
import { WaitingReason } from '@sdd/contract/dispatch/waiting.ts'

const Count = z.int().check(z.gte(0))

/** In seconds; null where nothing was measured. Read from a histogram: right to about a tenth. */
const Percentiles = z.object({
  p50_secs: z.nullable(z.number()),
  p95_secs: z.nullable(z.number()),
})
export type Percentiles = z.infer<typeof Percentiles>

/** One hour's messages, by the hour in which they were queued and the state in which they are now. */
export const DashboardHour = z.object({
  /** When the hour began. */
  hour: Instant,
  states: z.record(MessageState, Count),
})
export type DashboardHour = z.infer<typeof DashboardHour>

export const Dashboard = z.object({
  at: Instant,
  devices: z.object({ total: Count, connected: Count, disconnected: Count, disabled: Count }),
  /** The last day, a sample every 5 minutes, the oldest first. */
  connected: z.array(z.object({ at: Instant, connected: Count, total: Count })),
  /** The last 48 hours, the oldest first, the hour under way last: today against yesterday. */
  hours: z.array(DashboardHour),
  /** Over the last 24 hours. */
  times: z.object({
    /** From the queue until the device accepted it. */
    handover: Percentiles,
    /** From the network taking it until the delivery report. */
    delivery: Percentiles,
  }),
  /** Today, those with most failures first; ten at most. */
  by_device: z.array(z.object({ device_uid: z.string(), sent: Count, delivered: Count, failed: Count })),
  /** Today's failures by their code, the most frequent first; ten at most. */
  failures: z.array(z.object({ code: z.string(), count: Count, last_at: Instant })),
  waiting: z.array(z.object({ reason: WaitingReason, count: Count, devices: Count })),
  /** Devices that have used 80 % of today's limit or more, the fullest first; ten at most. */
  limits: z.array(z.object({ device_uid: z.string(), sent_today: Count, max_sms_dayly: Count })),
})
export type Dashboard = z.infer<typeof Dashboard>

export const readDashboard = route('GET /api/dashboard', {
  summary: 'What an operator asks first, from counters kept as the messages move.',
  reply: Dashboard,
})
