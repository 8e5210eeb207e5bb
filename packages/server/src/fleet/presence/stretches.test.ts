import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { stretchesOf } from './stretches.ts'

const at = (minute: number) => `2026-06-10T08:${String(minute).padStart(2, '0')}:00.000Z`
const change = (minute: number, status: 'connected' | 'disconnected') => ({ at: at(minute), status })
const gap = (from: number, to: number) => ({ began_at: at(from), ended_at: at(to) })

function told(known: Parameters<typeof stretchesOf>[0], from = 10, to = 50): string[] {
  const minute = (time: string) => Number(time.slice(14, 16))
  return stretchesOf(known, at(from), at(to)).map(
    ({ from, to, state }) => `${minute(from)}-${minute(to)} ${state}`,
  )
}

test('the presence begins with the state from before the period', () => {
  assert.deepEqual(told({ changes: [change(2, 'connected'), change(20, 'disconnected')], gaps: [] }), [
    '10-20 connected',
    '20-50 disconnected',
  ])
})

test('the presence is unknown before the first change, and without any', () => {
  assert.deepEqual(told({ changes: [change(30, 'connected')], gaps: [] }), [
    '10-30 unknown',
    '30-50 connected',
  ])
  assert.deepEqual(told({ changes: [], gaps: [] }), ['10-50 unknown'])
})

test('the presence is unknown while no server ran, and equal neighbours are joined', () => {
  const changes = [change(2, 'connected'), change(25, 'disconnected'), change(40, 'disconnected')]
  assert.deepEqual(told({ changes, gaps: [gap(5, 12), gap(20, 30)] }), [
    '10-12 unknown',
    '12-20 connected',
    '20-30 unknown',
    '30-50 disconnected',
  ])
  assert.deepEqual(told({ changes, gaps: [gap(0, 59)] }), ['10-50 unknown'])
})

test('whatever is known, stretches cover the period without holes, and neighbours differ', () => {
  const minute = fc.nat(59)
  const status = fc.constantFrom('connected' as const, 'disconnected' as const)
  const changes = fc.uniqueArray(fc.tuple(minute, status), { selector: ([when]) => when })
  const edges = fc.uniqueArray(minute, { maxLength: 8 })
  fc.assert(
    fc.property(changes, edges, (changes, edges) => {
      const sorted = edges.toSorted((a, b) => a - b)
      const gaps = Array.from({ length: sorted.length >> 1 }, (_, n) =>
        gap(sorted[2 * n]!, sorted[2 * n + 1]!),
      )
      const known = { changes: changes.toSorted(([a], [b]) => a - b).map((each) => change(...each)), gaps }
      const found = stretchesOf(known, at(10), at(50))
      assert.deepEqual([found[0]!.from, found.at(-1)!.to], [at(10), at(50)])
      for (const [n, stretch] of found.entries()) {
        assert.ok(stretch.from < stretch.to)
        if (n === 0) continue
        assert.equal(stretch.from, found[n - 1]!.to)
        assert.notEqual(stretch.state, found[n - 1]!.state)
      }
    }),
  )
})
