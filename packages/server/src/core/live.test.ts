import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLive } from './live.ts'
import { openPeers } from './replicas/replicas.ts'

test('a burst of changes reaches a browser at most twice a second, the first at once and the last always', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const told: { at_ms: number; changed: string[] }[] = []
  let now_ms = 0
  const live = startLive((_topic, payload, may) => {
    if (may({ company_id: 1 }))
      told.push({ at_ms: now_ms, ...(JSON.parse(payload) as { changed: string[] }) })
  }, openPeers(undefined))
  t.after(() => live.stop())
  const pass = (ms: number) => {
    now_ms += ms
    t.mock.timers.tick(ms)
  }
  for (let n = 0; n < 220; n++) {
    live.changed(1, 'devices')
    pass(10)
  }
  live.changed(1, 'logs')
  pass(1_000)
  assert.equal(told[0]!.at_ms, 0)
  assert.ok(told.at(-1)!.changed.includes('logs'))
  const times = told.map(({ at_ms }) => at_ms)
  for (const [n, at_ms] of times.slice(2).entries()) assert.ok(at_ms - times[n]! > 1_000, times.join())
  assert.ok(times.length > 3, times.join())
})
