import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export type { Counter, Histogram } from 'prom-client'

/** The figures of one server, as Prometheus reads them. */
export type Metrics = {
  /** A figure that only grows; by convention its name ends in `_total`. */
  counter<Label extends string>(name: string, help: string, labels?: Label[]): Counter<Label>
  /** A figure that `look` sets, once for each combination of labels there is, whenever the figures are read. */
  gauge<Label extends string>(name: string, help: string, labels: Label[], look: Look<Label>): void
  histogram<Label extends string = never>(
    name: string,
    help: string,
    /** `buckets`: upper bounds, in the unit that the name ends in. */
    shape: { buckets: number[]; labels?: Label[] },
  ): Histogram<Label>
  /** Every figure, in the text format of Prometheus. */
  text(): Promise<string>
  readonly content_type: string
}

type Look<Label extends string> = (
  set: (labels: Record<Label, string>, value: number) => void,
) => void | Promise<void>

/**
 * Opens a registry of its own, so that several servers can live in one process, with the figures of the process
 * (processor, memory, garbage collection, delay of the event loop) already in it.
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
    // Who asks while they are being read gets the same: a flood of readers costs no more than one.
    text: () => (reading ??= registry.metrics().finally(() => (reading = undefined))),
    content_type: registry.contentType,
  }
}

/** Of the process: these go through each of its sockets, 60 ms for 10,000 on a busy machine. What of them matters is counted elsewhere. */
const COSTLY = ['resources', 'handles', 'requests'].flatMap((of) => [
  `nodejs_active_${of}`,
  `nodejs_active_${of}_total`,
])

/** What was set before and is no more is gone from the answer. */
async function read<Label extends string>(gauge: Gauge<Label>, look: Look<Label>): Promise<void> {
  const values: [Record<Label, string>, number][] = []
  await look((labels, value) => values.push([labels, value]))
  gauge.reset()
  for (const [labels, value] of values) gauge.set(labels, value)
}
