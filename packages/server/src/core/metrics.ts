import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export type { Counter, Histogram } from 'prom-client'

/** The metrics of one server, for Prometheus. */
export type Metrics = {
  /** A metric that only grows. By convention its name ends in `_total`. */
  counter<Label extends string>(name: string, help: string, labels?: Label[]): Counter<Label>
  /** A metric whose values `look` sets at each reading, once per combination of labels. */
  gauge<Label extends string>(name: string, help: string, labels: Label[], look: Look<Label>): void
  histogram<Label extends string = never>(
    name: string,
    help: string,
    /** `buckets`: upper bounds, in the unit that the name ends in. */
    shape: { buckets: number[]; labels?: Label[] },
  ): Histogram<Label>
  /** All metrics, in the text format of Prometheus. */
  text(): Promise<string>
  readonly content_type: string
}

type Look<Label extends string> = (
  set: (labels: Record<Label, string>, value: number) => void,
) => void | Promise<void>

/**
 * Opens a separate registry, so that several servers can live in one process. It already has the metrics of the process
 * (processor, memory, garbage collection, event loop delay).
 */
export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of COSTLY) registry.removeSingleMetric(name)
  const registers = [registry]
  let reading: Promise<string> | undefined
  return {
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames, registers }),
    histogram: (name, help, { buckets, labels: labelNames = [] }) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
    gauge(name, help, labelNames, look) {
      const collect = (): Promise<void> => read(gauge, look)
      const gauge = new Gauge({ name, help, labelNames, registers, collect })
    },
    // Concurrent readers share one reading, so a flood of readers costs no more than one.
    text: () => (reading ??= registry.metrics().finally(() => (reading = undefined))),
    content_type: registry.contentType,
  }
}

/**
 * Metrics of the process that walk all its sockets: 60 ms for 10,000 sockets on a busy machine. Other metrics cover the
 * important ones.
 */
const COSTLY = ['resources', 'handles', 'requests'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
])

/** The reset removes values that `look` no longer sets. */
async function read<Label extends string>(gauge: Gauge<Label>, look: Look<Label>): Promise<void> {
  const values: [Record<Label, string>, number][] = []
  await look((labels, value) => values.push([labels, value]))
  gauge.reset()
  for (const [labels, value] of values) gauge.set(labels, value)
}
