import * as z from 'zod/mini'

/** Why messages wait; `waiting_for` in the log says it as a sentence. */
export const WaitingReason = z.enum([
  'sending_off',
  /** Tasks scheduled for later, or to be retried later. */
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
