import type { Metrics } from '#server/core/metrics.ts'
import type { DevicesAtBroker } from './transport.ts'

/** What `/metrics` says of the broker of others. */
export function watchAtBroker(metrics: Metrics, { broker }: Pick<DevicesAtBroker, 'broker'>): void {
  metrics.gauge('sdd_broker_connected', 'Whether the external broker is reached (1) or not (0)', [], (set) =>
    set({}, broker.connected() ? 1 : 0),
  )
  metrics.gauge(
    'sdd_broker_leads',
    'Whether this server hears from the external broker who is there',
    [],
    (set) => set({}, broker.leads() ? 1 : 0),
  )
  metrics.gauge('sdd_broker_taking', 'Packets of the external broker that are not committed yet', [], (set) =>
    set({}, broker.taking()),
  )
}
