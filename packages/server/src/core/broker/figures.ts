import type { Metrics } from '#server/core/metrics.ts'
import type { Broker } from './broker.ts'

/** What `/metrics` says of the connections. */
export function watchBroker(metrics: Metrics, broker: Pick<Broker, 'counts' | 'tally'>): void {
  metrics.gauge('sdd_connections', 'Open MQTT connections', ['of'], (set) => {
    for (const [of, count] of Object.entries(broker.counts())) set({ of }, count)
  })
  metrics.gauge('sdd_connections_refused', 'Connections refused since the start', ['why'], (set) => {
    for (const [why, count] of Object.entries(broker.tally.refused)) set({ why }, count)
  })
  metrics.gauge('sdd_connections_ended', 'Connections ended since the start', ['why'], (set) => {
    for (const [why, count] of Object.entries(broker.tally.ended)) set({ why }, count)
  })
  metrics.gauge('sdd_connections_slowed', 'Times that a connection sent more than it may', [], (set) =>
    set({}, broker.tally.slowed),
  )
}
