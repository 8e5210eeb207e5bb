import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram, Registry } from 'prom-client'
import { addHistogram } from './histogram.ts'

const buckets = [0.001, 0.5, 2]

test('a histogram reads as one of prom-client', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const labels = ['method', 'status']
  const own = addHistogram(ours, 'seconds', 'Of what', { buckets, labels })
  const other = new Histogram({
    name: 'seconds',
    help: 'Of what',
    buckets,
    labelNames: labels,
    registers: [theirs],
  })
  const seen: [size: number, method: string, status: string][] = [
    [0, 'GET', '200'],
    [0.001, 'POST', '200'],
    [0.3, 'GET', '200'],
    [2, 'GET', '400 "bad"'],
    [17.25, 'GET', '200'],
  ]
  for (const [size, method, status] of seen) {
    own.observe(size, method, status)
    other.observe({ method, status }, size)
  }
  assert.equal(await ours.metrics(), await theirs.metrics())
})

test('without labels it is there before the first size', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  addHistogram(ours, 'seconds', 'Of what', { buckets })
  new Histogram({ name: 'seconds', help: 'Of what', buckets, registers: [theirs] })
  assert.equal(await ours.metrics(), await theirs.metrics())
})
