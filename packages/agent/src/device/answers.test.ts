import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAnswers } from './answers.ts'

function openConnection() {
  const said: unknown[] = []
  const pubacks: PromiseWithResolvers<void>[] = []
  return {
    said,
    pubacks,
    publish(topic: string, payload: string) {
      said.push([topic, (JSON.parse(payload) as { order: number }).order])
      pubacks.push(Promise.withResolvers<void>())
      return pubacks.at(-1)!.promise
    },
  }
}

test('an answer that lost its connection is published at the next one, and never again after its PUBACK', async () => {
  const answers = openAnswers('d1')
  const [first, second, third] = [openConnection(), openConnection(), openConnection()]
  answers.give({ order: 1, ok: true })
  answers.opened(first)
  answers.give({ order: 2, ok: true })
  first.pubacks[0]!.resolve()
  first.pubacks[1]!.reject(new Error('the connection has ended'))
  await Promise.allSettled(first.pubacks.map(({ promise }) => promise))
  answers.closed()
  answers.give({ order: 3, ok: false })
  answers.opened(second)
  for (const { resolve } of second.pubacks) resolve()
  await Promise.all(second.pubacks.map(({ promise }) => promise))
  answers.opened(third)
  const topic = 'devices/d1/answers'
  assert.deepEqual(
    [first.said, second.said, third.said],
    [
      [
        [topic, 1],
        [topic, 2],
      ],
      [
        [topic, 2],
        [topic, 3],
      ],
      [],
    ],
  )
})
