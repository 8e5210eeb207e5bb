import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { KANNEL_MISSING } from './kannel.ts'
import { readOptions } from './options.ts'
import { measure } from './run.ts'

/** Everything temporary is written here. */
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
process.env.TMPDIR = folder
after(() => rmSync(folder, { recursive: true }))

test('some rows are measured in small, and nothing is left behind', async () => {
  const said: string[] = []
  const little = ['--rounds', '1', '--messages', '60', '--devices', '3']
  const options = readOptions(['batches', 'cpu', 'accept', 'loop', ...little])
  assert.ok(options !== 'help')
  const kept: number[] = []
  const { run, failed } = await measure(options, {
    say: (line) => void said.push(line),
    found: ({ results }) => void kept.push(results.length),
  })
  const { results } = run
  assert.equal(failed, false, said.join('\n'))
  assert.deepEqual(kept, [2, 3, 4])

  assert.deepEqual(
    results.map(({ row }) => row),
    ['batches', 'cpu', 'accept', 'loop'],
  )
  const [batches, cpu, accept, loop] = results
  assert.ok(batches!.notes.includes('with 3 devices for 1,000'))
  for (const name of ['messages/s', 'CPU µs a message']) assert.ok(batches!.figures[name]!.median > 0, name)
  assert.ok(batches!.value.rounds.length === 1 || batches!.notes.includes(KANNEL_MISSING))
  assert.equal(cpu!.value.median, batches!.figures['CPU µs a message']!.median)
  assert.ok(accept!.value.median > 0 && accept!.value.median < 10)
  // One server for each of the two rows.
  assert.equal(loop!.value.rounds.length, 2)
  assert.ok(said.some((line) => line.startsWith('throughput: round 1 of 1')))
  assert.deepEqual(readdirSync(folder), [])
})
