import type { AlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import type { AlertRule } from '@sdd/contract/outward/alerts.ts'

type FailingChannel = { channel: AlertChannel; rules: AlertRule[] }

/** The channels whose last message did not arrive, with the rules that tell no other that works. */
export function failingChannels(
  channels: readonly AlertChannel[],
  rules: readonly AlertRule[],
): FailingChannel[] {
  const failing = channels.filter(({ last }) => last && !last.delivered)
  const broken = new Set(failing.map(({ id }) => id))
  return failing.map((channel) => ({
    channel,
    rules: rules.filter(
      ({ enabled, channels }) =>
        enabled && channels.includes(channel.id) && channels.every((id) => broken.has(id)),
    ),
  }))
}
