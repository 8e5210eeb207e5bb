import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { openMetrics } from './metrics.ts'

test('counters and histograms are read in the text format of Prometheus', async () => {
  const metrics = openMetrics()
  const dropped = metrics.counter('dropped_total', 'Dropped payloads', ['reason'])
  dropped.inc({ reason: 'late' })
  dropped.inc({ reason: 'late' }, 2)
  metrics.histogram('commit_seconds', 'Commits', { buckets: [0.1, 1] }).observe(0.5)

  const text = await metrics.text()
  assert.match(text, /^# HELP dropped_total Dropped payloads$/m)
  assert.match(text, /^dropped_total\{reason="late"\} 3$/m)
  assert.match(text, /^commit_seconds_bucket\{le="0.1"\} 0$/m)
  assert.match(text, /^commit_seconds_bucket\{le="1"\} 1$/m)
  assert.match(metrics.content_type, /^text\/plain; version=0\.0\.4/)
})

test('a gauge is computed at each reading, and values that no longer exist disappear', async () => {
  const metrics = openMetrics()
  const connected = new Map([
    ['devices', 2],
    ['browsers', 1],
  ])
  metrics.gauge('connections', 'Open connections', ['of'], async (set) => {
    for (const [of, count] of connected) set({ of }, count)
  })
  assert.match(await metrics.text(), /^connections\{of="devices"\} 2$/m)
  connected.delete('devices')
  const text = await metrics.text()
  assert.doesNotMatch(text, /connections\{of="devices"\}/)
  assert.match(text, /^connections\{of="browsers"\} 1$/m)
})

test('the metrics include those of the process, such as the event loop delay', async () => {
  const text = await openMetrics().text()
  for (const name of [
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    assert.match(text, new RegExp(`^${name} [\\d.e+-]+$`, 'm'))
})

test('several servers in one process count separately', async () => {
  const [one, other] = [openMetrics(), openMetrics()]
  one.counter('logins_total', 'Logins').inc()
  other.counter('logins_total', 'Logins')
  assert.match(await one.text(), /^logins_total 1$/m)
  assert.match(await other.text(), /^logins_total 0$/m)
})

test('open metrics do not keep a process from ending', () => {
  const { href } = new URL('./metrics.ts', import.meta.url)
  const program = `const { openMetrics } = await import(${JSON.stringify(href)}); openMetrics()`
  const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { timeout: 10_000 })
  assert.equal(ended.status, 0, String(ended.stderr))
})

test('concurrent readers of the metrics share one reading', async () => {
  const metrics = openMetrics()
  let looked = 0
  metrics.gauge('connections', 'Open connections', [], (set) => set({}, ++looked))
  const texts = await Promise.all(Array.from({ length: 50 }, () => metrics.text()))
  assert.equal(looked, 1)
  assert.equal(new Set(texts).size, 1)
  await metrics.text()
  assert.equal(looked, 2)
})
