import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { KANNEL_MISSING } from './kannel.ts'
import { readOptions } from './options.ts'
import { measure } from './run.ts'

/** Everything temporary is written here. Tests of other files may share this process. */
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const { TMPDIR = tmpdir() } = process.env
process.env.TMPDIR = folder
after(() => {
  process.env.TMPDIR = TMPDIR
  rmSync(folder, { recursive: true })
})

test('some rows are measured in small, and nothing is left behind', async () => {
  const said: string[] = []
  const little = ['--rounds', '1', '--messages', '60', '--devices', '3']
  const options = readOptions(['batches', 'cpu', 'accept', 'campaign', 'loop', ...little])
  assert.ok(options !== 'help')
  const kept: number[] = []
  const { run, failed } = await measure(options, {
    say: (line) => void said.push(line),
    found: ({ results }) => void kept.push(results.length),
  })
  const { results } = run
  assert.equal(failed, false, said.join('\n'))
  assert.deepEqual(kept, [2, 3, 4, 5])

  assert.deepEqual(
    results.map(({ row }) => row),
    ['batches', 'cpu', 'accept', 'campaign', 'loop'],
  )
  const [batches, cpu, accept, campaign, loop] = results
  assert.ok(batches!.notes.includes('with 3 devices for 1,000'))
  for (const name of ['messages/s', 'CPU µs a message']) assert.ok(batches!.figures[name]!.median > 0, name)
  assert.ok(batches!.value.rounds.length === 1 || batches!.notes.includes(KANNEL_MISSING))
  assert.equal(cpu!.value.median, batches!.figures['CPU µs a message']!.median)
  assert.ok(accept!.value.median > 0 && accept!.value.median < 10)
  assert.ok(campaign!.value.median > 0 && campaign!.figures['ms of the upload']!.median > 0)
  // One server for each of the three rows.
  assert.equal(loop!.value.rounds.length, 3)
  assert.ok(said.some((line) => line.startsWith('throughput: round 1 of 1')))
  assert.deepEqual(readdirSync(folder), [])
})

test('the rows of conversations, sending hours and routes are measured in small', async () => {
  const rows = ['conversations', 'conversation-search', 'received', 'screen', 'hours', 'routes'] as const
  const little = ['--messages', '60', '--devices', '3', '--rows', '1000', '--rounds', '1']
  const options = readOptions([...rows, ...little])
  assert.ok(options !== 'help')
  const said: string[] = []
  const { run, failed } = await measure(options, { say: (line) => void said.push(line), found: () => {} })
  assert.equal(failed, false, said.join('\n'))
  assert.deepEqual(run.results.map(({ row }) => row).toSorted(), [...rows].toSorted())
  for (const { value, row } of run.results) assert.ok(value.median > 0, row)
  assert.deepEqual(readdirSync(folder), [])
})

test('the rows of packets, growth, disk and memory are measured in small', async () => {
  const named = ['packets', 'packets-batches', 'packets-cpu', 'packets-batches-cpu', 'busy-page'] as const
  const rows = [...named, 'growth', 'disk', 'memory'] as const
  const little = ['--messages', '100', '--devices', '3', '--rows', '1000', '--minutes', '0.05']
  const options = readOptions([...rows, ...little, '--rounds', '1'])
  assert.ok(options !== 'help')
  const said: string[] = []
  const { run, failed } = await measure(options, { say: (line) => void said.push(line), found: () => {} })
  assert.equal(failed, false, said.join('\n'))
  const results = new Map(run.results.map((result) => [result.row, result]))
  assert.deepEqual([...results.keys()].toSorted(), [...rows].toSorted())
  for (const { value, row } of results.values()) assert.ok(value.median > 0, row)

  const figures = (row: (typeof rows)[number]) => results.get(row)!.figures
  const cpu_us = results.get('packets-cpu')!.value.median
  assert.equal(figures('packets')['CPU µs a message']!.median, cpu_us)
  assert.ok(figures('packets-batches')['main thread, % of a core']!.median >= 0)
  assert.ok(results.get('growth')!.value.median >= 1)
  assert.deepEqual(Object.keys(figures('growth')), [
    'with 1 messages, µs of the server',
    'with 100 messages, µs of the server',
    'with 1,000 messages, µs of the server',
  ])
  for (const part of ['messages', 'indexes of messages', 'outcomes', 'message_search'])
    assert.ok(figures('disk')[`KB of ${part}`]!.median > 0, part)
  for (const table of ['queue', 'in_flight', 'capacity'])
    assert.ok(figures('memory')[`KB of ${table} in the course of it`]!.median > 0, table)
  assert.equal(figures('memory')['rows of capacity in the course of it']!.median, 3)
  assert.deepEqual(readdirSync(folder), [])
})
