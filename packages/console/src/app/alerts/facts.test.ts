import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alert } from '@sdd/contract/outward/alerts.ts'
import { factsOf } from './facts.ts'

const queueAge = (since: Date) =>
  factsOf({
    rule: { condition: 'queue_age' },
    detail_params: { since: since.toISOString() },
  } as unknown as Alert)

test('a queue that waits since another day is told with that day', () => {
  const today = new Date()
  today.setHours(0, 0, 0, 0)
  assert.equal(queueAge(today), 'un mensaje espera desde las 00:00')
  assert.equal(queueAge(new Date(2020, 10, 25, 17, 24)), 'un mensaje espera desde el 25/11 17:24')
})
