import * as z from 'zod/mini'
import { AnyInstant, Instant } from '@sdd/contract/core/fields.ts'

/** The least and the most of each number. */
export const telemetryRanges = {
  /** In percent. */
  battery: [0, 100],
  /** In °C. */
  temperature: [-50, 150],
  disk_free_mb: [0, 1_000_000_000],
  signal_dbm: [-150, 0],
} as const

const values = {
  battery: z.nullable(z.number()),
  charging: z.nullable(z.boolean()),
  temperature: z.nullable(z.number()),
  disk_free_mb: z.nullable(z.number()),
  signal_dbm: z.nullable(z.number()),
}
export type TelemetryValues = z.infer<z.ZodMiniObject<typeof values>>

/** What a device publishes about itself. It says the fields that it knows. */
export const Telemetry = z.object({
  at: AnyInstant,
  battery: z.optional(z.number()),
  charging: z.optional(z.boolean()),
  temperature: z.optional(z.number()),
  disk_free_mb: z.optional(z.number()),
  signal_dbm: z.optional(z.number()),
})
export type Telemetry = z.infer<typeof Telemetry>

/** The payload as it is received: the server checks each field of it. */
export const SaidTelemetry = z.record(z.string(), z.unknown())

/** The latest value of each field, and when the device said anything last. Null: it never said it. */
export const LatestTelemetry = z.object({ at: Instant, ...values })
export type LatestTelemetry = z.infer<typeof LatestTelemetry>

/** Averages of the time that begins at `at`; `charging` is the last of it. Null: it was not said in that time. */
export const TelemetryPoint = z.object({ at: Instant, ...values })
export type TelemetryPoint = z.infer<typeof TelemetryPoint>
