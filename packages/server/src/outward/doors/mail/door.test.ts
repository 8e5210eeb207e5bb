import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import { openMailDoor } from './door.ts'

test('a key that is admitted after its connection has ended is not watched', async (t) => {
  const asked = Promise.withResolvers<void>()
  const admitted = Promise.withResolvers<unknown>()
  let watched = 0
  const entry = {
    admit() {
      asked.resolve()
      return admitted.promise
    },
    watch: () => void watched++,
  }
  const log = pino({ level: 'silent' })
  const needs = { log, entry, tls: undefined, config: { HOST: '127.0.0.1' } }
  const door = await openMailDoor(needs as never, 0)
  t.after(() => door.stop())
  const socket = connect(door.port, '127.0.0.1')
  await once(socket, 'data')
  socket.write('EHLO me\r\n')
  await once(socket, 'data')
  socket.write(`AUTH PLAIN ${Buffer.from('\0me\0sdk_x').toString('base64')}\r\n`)
  await asked.promise
  socket.end()
  socket.resume()
  await once(socket, 'close')
  admitted.resolve({ company_id: 2 })
  await new Promise(setImmediate)
  assert.equal(watched, 0)
})
