import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { pathToFileURL } from 'node:url'

const folder = mkdtempSync(join(tmpdir(), 'watchdog-'))
after(() => rmSync(folder, { recursive: true }))

/** Runs one test file under a watchdog, with a limit of one second. */
function runFile(name: string, source: string): { status: number | null; said: string } {
  const file = join(folder, name)
  const watchdog = pathToFileURL(join(import.meta.dirname, 'watchdog.ts')).href
  const start = `import { startWatchdog } from '${watchdog}'\nstartWatchdog(1_000)('${name}')`
  writeFileSync(file, `import test from 'node:test'\n${start}\ntest('passes', () => {})\n${source}\n`)
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', file], {
    encoding: 'utf8',
    env,
    timeout: 60_000,
  })
  return { status, said: stdout + stderr }
}

test('a test file that is kept open is ended, and fails by name', () => {
  const { status, said } = runFile('open.test.mjs', 'setInterval(() => {}, 1000)')
  assert.equal(status, 1)
  assert.match(said, /open\.test\.mjs did not end within 1 s/)
})

test('a test file that blocks its event loop is ended too', () => {
  const { status, said } = runFile('loop.test.mjs', "test('loops', () => { for (;;); })")
  assert.equal(status, 1)
  assert.match(said, /loop\.test\.mjs did not end within 1 s/)
})

test('a test file that ends in time is not touched', () => {
  const { status, said } = runFile('short.test.mjs', '')
  assert.equal(status, 0)
  assert.doesNotMatch(said, /did not end/)
})
