import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBystander } from './bystander.ts'

test('who stands by is not held up by what this thread does', async (t) => {
  const bystander = openBystander()
  t.after(() => bystander.close())
  await bystander.longest()
  const until = performance.now() + 1_500
  while (performance.now() < until);
  await sleep(20)
  const waited_ms = await bystander.longest()
  assert.ok(waited_ms >= 0 && waited_ms < 1_000, `${waited_ms} ms`)
})
