import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { openReception } from './reception.ts'

const TURNS = 50

/** How many callbacks are put into the next turns of the event loop, but for those of this. */
async function immediatesOf(turns: number): Promise<number> {
  let count = 0
  const hook = createHook({ init: (_id, type) => void (type === 'Immediate' && count++) }).enable()
  for (let n = 0; n < turns; n++) await new Promise(setImmediate)
  hook.disable()
  return count - turns
}

test('while all that may be looked at are, nothing runs until one of them ends, and then the next begins', async () => {
  const reception = openReception(2)
  const ends: (() => void)[] = []
  const look = () => new Promise<void>((resolve) => ends.push(resolve))
  const looked = [1, 2, 3].map(() => reception.inTurn('device', look))
  await immediatesOf(2)
  assert.equal(ends.length, 2)
  assert.ok((await immediatesOf(TURNS)) <= 1)
  ends[0]!()
  await looked[0]
  await immediatesOf(2)
  assert.equal(ends.length, 3)
  for (const end of ends) end()
  await Promise.all(looked)
})

test('a browser is looked at before the devices that came earlier', async () => {
  const reception = openReception(1)
  const order: string[] = []
  const look = (name: string) => async () => {
    order.push(name)
    await new Promise(setImmediate)
  }
  const looked = ['first', 'device'].map((name) => reception.inTurn('device', look(name)))
  looked.push(reception.inTurn('browser', look('browser')))
  await Promise.all(looked)
  assert.deepEqual(order, ['first', 'browser', 'device'])
})

test('one whose look fails leaves its place to the next', async () => {
  const reception = openReception(1)
  const failing = reception.inTurn('device', () => Promise.reject(new Error('gone')))
  const next = reception.inTurn('device', () => Promise.resolve())
  await assert.rejects(failing, /gone/)
  await next
})
