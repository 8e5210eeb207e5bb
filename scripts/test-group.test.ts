import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import test, { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ROOT } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'group-'))
after(() => rmSync(folder, { recursive: true }))

/** Runs files with these bodies in one process, as `npm test` does. */
function runTogether(name: string, bodies: string[]): { status: number | null; said: string } {
  const files = bodies.map((body, n) => {
    const file = join(folder, `${name}-${n}.test.mjs`)
    writeFileSync(file, `import { test, before, after } from 'node:test'\n${body}\n`)
    return relative(ROOT, file)
  })
  const program = join(folder, `${name}.mjs`)
  const group = pathToFileURL(join(import.meta.dirname, 'test-group.ts')).href
  writeFileSync(
    program,
    `import { runGroup } from '${group}'\nawait runGroup(${JSON.stringify(files)}, 'sqlite')`,
  )
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env
  const run = spawnSync(process.execPath, ['--test', '--test-reporter=tap', program], {
    encoding: 'utf8',
    env,
  })
  return { status: run.status, said: run.stdout + run.stderr }
}

test('the hooks of a file run around its own tests, and before the next file is loaded', () => {
  const file = (name: string) =>
    `console.log('load ${name}')\nbefore(() => console.log('begin ${name}'))\n` +
    `after(() => console.log('end ${name}'))\ntest('one', () => console.log('test ${name}'))`
  const { status, said } = runTogether('hooks', [file('a'), file('b')])
  assert.equal(status, 0)
  assert.deepEqual(
    said.match(/(?<=^# )(load|begin|test|end) \w/gm),
    ['a', 'b'].flatMap((name) => ['load', 'begin', 'test', 'end'].map((step) => `${step} ${name}`)),
  )
})

test('a process that ends before all its files fails, and names those that did not run', () => {
  const { status, said } = runTogether('early', [
    `test('ends it', () => process.exit(0))`,
    `test('never runs', () => {})`,
  ])
  assert.equal(status, 1)
  assert.match(said, /ended before these tests: .*early-0\.test\.mjs, .*early-1\.test\.mjs/)
})
