import * as z from 'zod/mini'

/** Why messages wait, as the log's `waiting_for` says it in a sentence. */
export const WaitingReason = z.enum([
  'sending_off',
  /** Tasks that asked to go later, or that are tried again later. */
  'later',
  'no_device',
  'device_offline',
  'device_disabled',
  'daily_limit',
  'quarantined',
  'window_full',
  'pacing',
  'next',
])
export type WaitingReason = z.infer<typeof WaitingReason>
