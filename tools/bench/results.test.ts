import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { Result } from './bench.ts'
import { readOptions } from './options.ts'
import { pageWith, picturesOf } from './page.ts'
import { inWords, newestOf, readRuns, type Run, saveRun } from './results.ts'
import { judge, rowsOn } from './rows.ts'
import { spreadOf } from './statistics.ts'

const result = (row: Result['row'], ...rounds: number[]): Result => {
  const figures = { 'messages/s': spreadOf([1_000.4, 1_100]) }
  return { row, value: spreadOf(rounds), figures, notes: ['a note'], generator: 0.081, load: 1.5 }
}

const runOn = (database: string, at: string, ...results: Result[]): Run => ({
  at,
  machine: { cpu: 'A', cores: 2, memory_gib: 8, kernel: 'Linux', node: 'v26', fsync_ms: 0.2 },
  asked: { rounds: 2, rows: 1, minutes: 1, messages: 1, devices: 1, database },
  results,
})
const run = (at: string, ...results: Result[]) => runOn('SQLite', at, ...results)

test('the newest result of each row counts, whichever run it comes from', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-results-'))
  t.after(() => rmSync(folder, { recursive: true }))
  saveRun(run('2026-01-02T10:00:00.000Z', result('batches', 1.5, 1.7)), folder)
  saveRun(run('2026-01-01T10:00:00.000Z', result('batches', 1), result('memory', 200)), folder)
  saveRun(runOn('PostgreSQL 18', '2026-01-03T10:00:00.000Z', result('batches', 0.5)), folder)
  const newest = newestOf(readRuns(folder), 'SQLite')
  assert.deepEqual(
    newest.map(({ row, result, run }) => [row.id, result.value.median, run.at.slice(0, 10)]),
    [
      ['batches', 1.6, '2026-01-02'],
      ['memory', 200, '2026-01-01'],
    ],
  )
})

test('a run’s results are shown with their floor and goal', () => {
  const said = inWords(run('2026-01-02T10:00:00.000Z', result('batches', 2.5, 2.7)))
  assert.match(said, /2\.6 \(2\.5–2\.7\) ×   floor 2\.5, goal 4: · floor/)
  assert.match(said, /messages\/s: 1,050 \(1,000–1,100\)/)
  assert.match(said, /generator 8\.1 % of a core; load average 1\.5\n +a note/)
  const disturbed = inWords(run('2026-01-02T10:00:00.000Z', { ...result('accept', 0.42), stolen: 0.25 }))
  assert.match(disturbed, /load average 1\.5; the host gave others 25 % of a core\n/)
})

test('a row without a comparison has no ratio, even after it is read back', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-results-'))
  t.after(() => rmSync(folder, { recursive: true }))
  saveRun(run('2026-01-02T10:00:00.000Z', result('batches')), folder)
  const [read] = readRuns(folder)
  assert.match(inWords(read!), /– ×   floor 2\.5, goal 4: no ratio/)
  assert.match(pageWith(bothOf([read!]), MARKED), /\*\*– ×\*\* \| 2\.5 \| 4 \| no ratio/)
})

test('the page keeps its text, and has a picture for each measured part', () => {
  const newest = bothOf([
    run('2026-01-02T10:00:00.000Z', result('batches', 3)),
    runOn('PostgreSQL 18', '2026-01-03T10:00:00.000Z', result('batches', 2.5), result('wal', 6)),
  ])
  const page = pageWith(newest, MARKED.replace('old', 'older'))
  assert.match(page, /^before\n/)
  assert.match(page, /\nafter$/)
  assert.doesNotMatch(page, /older/)
  assert.match(page, /\| `batches` \| .* \| \*\*3 ×\*\* \| 2\.5 \| 4 \| · floor \|/)
  assert.match(page, /\| `batches` \| \*\*2\.5 ×\*\* \| 1\.2 \| 2 \| ✓ goal \| 3 \|/)
  assert.match(page, /\| `wal`: WAL of each .* \| \*\*6 KB\*\* \| 5 \| 3 \| ✗ below the floor \| – \|/)
  assert.deepEqual(
    [...picturesOf(newest.SQLite).keys()],
    ['performance-goals.svg', 'performance-throughput.svg'],
  )
  assert.equal(pageWith(newest, page), page)
  assert.throws(() => pageWith(newest, 'no marks'), /lost its marks/)
})

const bothOf = (runs: Run[]) => ({
  SQLite: newestOf(runs, 'SQLite'),
  PostgreSQL: newestOf(runs, 'PostgreSQL'),
})

const MARKED = `before
<!-- Written by \`npm run bench\`, down to the next comment. -->
old
<!-- Until here. -->
after`

test('a floor is reached from either side', () => {
  const more = { better: 'more', floor: 1, goal: 2 } as const
  const less = { better: 'less', floor: 20, goal: 5 } as const
  assert.deepEqual(
    [0.9, 1, 2].map((value) => judge(more, value)),
    ['below', 'floor', 'goal'],
  )
  assert.deepEqual(
    [21, 20, 5].map((value) => judge(less, value)),
    ['below', 'floor', 'goal'],
  )
})

test('each engine has its own floor and goal', () => {
  const runs = [
    run('2026-01-02T10:00:00.000Z', result('single', 1.2)),
    runOn('PostgreSQL 18', '2026-01-02T10:00:00.000Z', result('single', 1.2)),
  ]
  assert.match(inWords(runs[0]!), /floor 2, goal 3: ✗ below the floor/)
  assert.match(inWords(runs[1]!), /floor 1, goal 1\.5: · floor/)
  const onlyOnPostgres = rowsOn('PostgreSQL').length - rowsOn('SQLite').length
  assert.equal(onlyOnPostgres, 2)
})

test('the command line names rows; without names all of the engine are measured', () => {
  const all = readOptions([])
  assert.ok(all !== 'help' && all.wanted.size === rowsOn('SQLite').length && all.rounds === 5 && all.save)
  const on_postgres = readOptions(['--postgres'])
  assert.ok(on_postgres !== 'help' && on_postgres.wanted.has('wal') && !all.wanted.has('wal'))
  const some = readOptions(['memory', 'loop', '--minutes', '10', '--no-save'])
  assert.ok(some !== 'help')
  assert.deepEqual([[...some.wanted], some.minutes, some.save], [['memory', 'loop'], 10, false])
  assert.equal(readOptions(['--help']), 'help')
  assert.throws(() => readOptions(['wal']), /wal is not measured on SQLite: add --postgres/)
  assert.ok(readOptions(['wal', '--database', 'postgres://localhost/bench']))
  assert.throws(() => readOptions(['speed']), /no row speed; there are batches/)
  assert.throws(() => readOptions(['--rounds', 'many']), /--rounds must be a number, 1 to 1000; it is many/)
})
