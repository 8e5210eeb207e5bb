import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { watchEventLoop } from './event-loop.ts'
import { openMetrics } from './metrics.ts'

test('every reading of the metrics has the longest time that the event loop was blocked', async () => {
  const metrics = openMetrics()
  watchEventLoop(metrics)
  await wait(50)
  for (const end = performance.now() + 120; performance.now() < end;);
  await wait(50)
  for (let reading = 0; reading < 2; reading++) {
    const text = await metrics.text()
    const longest = /^sdd_event_loop_delay_seconds\{quantile="1"\} (.+)$/m.exec(text)?.[1]
    assert.ok(Number(longest) >= 0.1, `${longest}`)
  }
})
