import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { memoryOf, startProgram } from './child.ts'
import { BOUNDED_MIB } from './neighbour.ts'
import { pour } from './sockets.ts'

const MIB = 1024 * 1024

test('the memory measure tells a server that keeps its input from one that does not', async (t) => {
  const { child, output } = await startProgram(
    join(import.meta.dirname, 'hoarder.ts'),
    process.env,
    /listening on \d+\./,
  )
  const socket = connect(Number(/\d+/.exec(output())![0]), '127.0.0.1')
  t.after(() => socket.destroy())
  const before_mib = memoryOf(child)
  await pour(socket, Buffer.alloc(65_536, ' '), 200 * MIB)
  const grown_mib = memoryOf(child) - before_mib
  assert.ok(grown_mib > BOUNDED_MIB, `it grew by ${grown_mib} MiB`)
})
