import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFailures } from '#console/app/shell/new-failures.ts'

const failure = (code: string, count: number) => ({ code, count, last_at: '2026-11-20T20:00:00.000Z' })

test('failures are new if their counter grew or is new, and after midnight if it began again', () => {
  const before = [failure('no_network', 9), failure('38', 2)]
  assert.deepEqual(newFailures(before, before), [])
  assert.deepEqual(newFailures(before, [failure('no_network', 11), failure('38', 2), failure('17', 1)]), [
    { code: 'no_network', count: 2 },
    { code: '17', count: 1 },
  ])
  assert.deepEqual(newFailures(before, [failure('no_network', 1)]), [{ code: 'no_network', count: 1 }])
  assert.deepEqual(newFailures(before, []), [])
})
