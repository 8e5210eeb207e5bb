import type { Metric, Registry } from 'prom-client'

/** How often which size was seen, by labels. */
export type Histogram = {
  /** `labels`: a value for each label that the histogram has, in their order. */
  observe(size: number, ...labels: string[]): void
}

export type Shape = {
  /** Upper bounds, in the unit that the name ends in. */
  buckets: readonly number[]
  labels?: readonly string[]
}

/** `counts`: of each bucket by itself, and last of what is larger than all bounds. */
type Series = { readonly labels: Record<string, string>; readonly counts: number[]; sum: number }

/** The series by the values of their labels, one level a label. */
type Level = { readonly below: Map<string, Level>; series: Series | undefined }

/**
 * Adds a histogram to the registry. Not prom-client's own, which makes objects, and a text of the labels, for each size
 * that it is told: each request tells some.
 */
export function addHistogram(
  registry: Registry,
  name: string,
  help: string,
  { buckets, labels = [] }: Shape,
): Histogram {
  const all: Series[] = []
  const top = newLevel()
  if (labels.length === 0) top.series = addSeries([])

  function addSeries(values: readonly string[]): Series {
    const named = Object.fromEntries(labels.map((label, at) => [label, values[at]!]))
    const series = { labels: named, counts: [...buckets, Infinity].map(() => 0), sum: 0 }
    all.push(series)
    return series
  }

  /** As prom-client writes its own. */
  function get() {
    const values = all.flatMap(({ labels: sharedLabels, counts, sum }) => {
      let count = 0
      const bounds = [...buckets, '+Inf'].map((le, at) => {
        count += counts[at]!
        return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: count }
      })
      return [
        ...bounds,
        { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum },
        { metricName: `${name}_count`, labels: {}, sharedLabels, value: count },
      ]
    })
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values })
  }

  registry.registerMetric({ name, get } as unknown as Metric)

  return {
    observe(size, ...values) {
      let level = top
      for (const value of values) level = level.below.getOrInsertComputed(value, newLevel)
      const series = (level.series ??= addSeries(values))
      const bucket = buckets.findIndex((bound) => size <= bound)
      series.counts[bucket < 0 ? buckets.length : bucket]!++
      series.sum += size
    },
  }
}

function newLevel(): Level {
  return { below: new Map(), series: undefined }
}
