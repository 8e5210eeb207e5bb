import assert from 'node:assert/strict'
import test from 'node:test'
import { openRun } from '../run.ts'
import { readOptions } from '../options.ts'
import { measureReplicas } from './measure.ts'
import { sectionOf } from './page.ts'
import { tablesOf } from './results.ts'

test('two servers over one PostgreSQL are measured in small', async () => {
  const options = readOptions(['--replicas', '2', '--rounds', '1', '--messages', '40', '--devices', '4'])
  assert.ok(options !== 'help')
  const said: string[] = []
  const { bench, close } = await openRun(options, (line) => void said.push(line))
  try {
    const sheets = await measureReplicas(bench, 2)
    const [batches, single, connections] = [
      sheets.batches.end(),
      sheets.single.end(),
      sheets.connections.end(),
    ]
    for (const name of [
      'messages/s',
      'PostgreSQL CPU µs a message',
      'WAL bytes a message',
      'commits a message',
    ])
      assert.ok(batches.figures[name]!.median > 0 && single.figures[name]!.median > 0, name)
    const shares = Object.entries(batches.figures).filter(([name]) => /^% of the time (?!a lock)/.test(name))
    const all = shares.reduce((sum, [, { median }]) => sum + median, 0)
    assert.ok(Math.abs(all - 100) < 1, String(all))
    assert.ok(connections.figures['s after one has died until its devices are elsewhere']!.median > 0)
    assert.ok(said.includes('2 servers: round 1 of 1'))
    const results = [{ replicas: 2, batches, single, connections }]
    assert.match(tablesOf({ results }), /\n\| 2 \| one a request \| [\d,.]+ \|/)
    // Without the result of one server there is nothing to compare.
    assert.doesNotMatch(tablesOf({ results }), /that of one server/)
    const compared = tablesOf({ results: [{ ...results[0]!, replicas: 1 }, ...results] })
    assert.match(
      compared,
      /\n\| 2 \| tasks in batches \| [\d,.]+ \| \*\*1 ×\*\* \| 1\.15 \| 1\.05 \| ✓ goal \|/,
    )
    const machine = { cpu: 'A', cores: 2, memory_gib: 8, kernel: 'Linux', node: 'v26', fsync_ms: 0.2 }
    const asked = { rounds: 1, messages: 40, devices: 4 }
    const run = {
      at: '2026-01-02T10:00:00.000Z',
      machine,
      database: 'PostgreSQL 18',
      commits_per_s: 900,
      asked,
      results,
    }
    assert.match(sectionOf(run), /PostgreSQL 18\. One client commits 900 transactions a second there/)
  } finally {
    await close()
  }
})

test('the number of servers is one number, or a range', () => {
  const read = (replicas: string) => {
    const options = readOptions(['--replicas', replicas])
    assert.ok(options !== 'help')
    return options.replicas
  }
  assert.deepEqual(read('2'), [2])
  assert.deepEqual(read('1..3'), [1, 2, 3])
  assert.throws(() => read('3..1'), /--replicas must be a number, or two as 1\.\.3/)
  assert.throws(() => readOptions(['batches', '--replicas', '2']), /measures no rows/)
  assert.throws(() => readOptions(['--database', 'here']), /--database must be a URL/)
})
