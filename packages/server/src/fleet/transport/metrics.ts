import type { Metrics } from '#server/core/metrics.ts'
import type { MqttEndpoint } from './endpoint.ts'
import type { ExternalBrokerDevices } from './transport.ts'

/** Adds the metrics of the connections. */
export function watchConnections(metrics: Metrics, endpoint: Pick<MqttEndpoint, 'counts' | 'tally'>): void {
  metrics.gauge('sdd_connections', 'Open MQTT connections', ['of'], (set) => {
    for (const [of, count] of Object.entries(endpoint.counts())) set({ of }, count)
  })
  metrics.gauge('sdd_connections_refused', 'Connections refused since the start', ['why'], (set) => {
    for (const [why, count] of Object.entries(endpoint.tally.refused)) set({ why }, count)
  })
  metrics.gauge('sdd_connections_ended', 'Connections ended since the start', ['why'], (set) => {
    for (const [why, count] of Object.entries(endpoint.tally.ended)) set({ why }, count)
  })
  metrics.gauge('sdd_connections_slowed', 'Times that a connection was slowed down', [], (set) =>
    set({}, endpoint.tally.slowed),
  )
}

/** Adds the metrics of the external broker. */
export function watchAtBroker(metrics: Metrics, { broker }: Pick<ExternalBrokerDevices, 'broker'>): void {
  metrics.gauge('sdd_broker_connected', 'Whether the external broker is reached (1) or not (0)', [], (set) =>
    set({}, broker.connected() ? 1 : 0),
  )
  metrics.gauge(
    'sdd_broker_leads',
    'Whether this server tracks presence at the external broker (1) or not (0)',
    [],
    (set) => set({}, broker.leads() ? 1 : 0),
  )
  metrics.gauge('sdd_broker_taking', 'Packets of the external broker that are not committed yet', [], (set) =>
    set({}, broker.taking()),
  )
}
