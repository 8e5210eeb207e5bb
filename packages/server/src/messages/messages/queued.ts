import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'

/** Gives messages soon, at every server, to these devices among others. */
export type WakeFor = (devices: readonly { id: number; company_id: number }[]) => void

export type QueuedNeeds = {
  live: Pick<Live, 'changed'>
  featureMetrics: Pick<FeatureMetrics, 'messages'>
  wakeFor: WakeFor
}

/** Announces a new message after the commit. Without a device, any may send it. */
export function announceQueued(
  { live, featureMetrics, wakeFor }: QueuedNeeds,
  { company_id, device_id }: { company_id: number; device_id: number | undefined },
): void {
  featureMetrics.messages.inc({ state: 'queued' })
  live.changed(company_id, 'logs')
  wakeFor(device_id === undefined ? [] : [{ id: device_id, company_id }])
}
