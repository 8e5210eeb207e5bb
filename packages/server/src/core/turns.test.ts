import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTurns } from './turns.ts'

test('work of one key waits for the one before it, failed or not, and work of another key does not', async () => {
  const inTurn = openTurns()
  const seen: string[] = []
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = (name: string, gate: Promise<void>) => async () => {
    seen.push(`${name} begins`)
    await gate
    seen.push(`${name} ends`)
    return name
  }
  const first = inTurn('a', work('first', gates[0]!.promise))
  const second = inTurn('a', work('second', gates[1]!.promise))
  assert.equal(await inTurn('b', work('other', Promise.resolve())), 'other')
  assert.deepEqual(seen, ['first begins', 'other begins', 'other ends'])
  gates[0]!.reject(new Error('first failed'))
  await assert.rejects(first, /first failed/)
  gates[1]!.resolve()
  assert.equal(await second, 'second')
  assert.deepEqual(seen.slice(3), ['second begins', 'second ends'])
})
