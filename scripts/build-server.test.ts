import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { buildServer, ENTRIES, SERVER } from './build-server.ts'
import { ROOT } from './run.ts'

let folder: string
before(async () => {
  folder = await buildServer()
})

test('the built server runs without a TypeScript file', () => {
  const loaded = execFileSync(process.execPath, [join(ROOT, SERVER), '--help'], {
    encoding: 'utf8',
    // Node would fail at the first type.
    env: { NODE_OPTIONS: '--no-experimental-strip-types' },
  })
  assert.match(loaded, /^SMS Drone Dash/)
})

/** Those of the modules in the build that have this text. */
function modulesWith(text: string): string[] {
  const all = globSync('packages/{server,contract,sms,http,mqtt,storage}/src/**/*.ts', { cwd: ROOT })
  return all.filter(
    (path) => !path.endsWith('.test.ts') && readFileSync(join(ROOT, path), 'utf8').includes(text),
  )
}

test('each module that a thread loads is an entry: it would load the whole server otherwise', () => {
  const entries = Object.values(ENTRIES)
  const loaded = modulesWith('export const workerRead')
  assert.notEqual(loaded.length, 0)
  assert.deepEqual(
    loaded.filter((path) => !entries.includes(path)),
    [],
  )
})

test('no module looks for a file in its own folder, because the build lies elsewhere', () => {
  assert.deepEqual([...modulesWith('import.meta.dirname'), ...modulesWith('import.meta.filename')], [])
})

test('a thread finds what it runs, in the module that names itself', async () => {
  assert.ok(statSync(join(folder, 'thread-program.js')).isFile())
  type Module = { workerRead: { module: string } }
  const { workerRead } = (await import(join(folder, 'page.js'))) as Module
  const named = (await import(workerRead.module)) as Module
  assert.equal(named.workerRead, workerRead)
})
