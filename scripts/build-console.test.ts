import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { afterEach, beforeEach } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildConsole } from './build-console.ts'

/** A stand-in for Vite: it takes a while, records that it ran, and fails if the page says so. */
const VITE = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
const out = process.argv[process.argv.indexOf('--outDir') + 1]
appendFileSync('../../builds', '.')
await setTimeout(300)
const page = readFileSync('src/app/main.tsx', 'utf8')
if (page === 'broken') process.exit(1)
mkdirSync(out, { recursive: true })
writeFileSync(out + '/index.html', page)
`

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'build-console-'))
  put('node_modules/vite/bin/vite.js', VITE)
  put('node_modules/vite/package.json', '{ "type": "module" }')
  put('packages/console/index.html', '')
  put('packages/console/src/app/main.tsx', 'one')
  put('packages/sms/src/gsm7.ts', '')
  put('packages/mqtt/src/codec/frames.ts', '')
})
afterEach(() => rmSync(root, { recursive: true }))

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Makes a file look newer than anything built so far. */
function touch(path: string): void {
  const later = new Date(Date.now() + 60_000)
  utimesSync(join(root, path), later, later)
}

const page = (): string => readFileSync(join(root, 'packages/console/dist/index.html'), 'utf8')
const builds = (): number => readFileSync(join(root, 'builds'), 'utf8').length

test('the console is built once if there is no build', async () => {
  await buildConsole(root)
  await buildConsole(root)
  assert.equal(page(), 'one')
  assert.equal(builds(), 1)
})

for (const source of [
  'packages/console/src/app/main.tsx',
  'packages/console/index.html',
  'packages/sms/src/gsm7.ts',
  'packages/mqtt/src/codec/frames.ts',
]) {
  test(`the console is built again after a change of ${source}`, async () => {
    await buildConsole(root)
    touch(source)
    await buildConsole(root)
    assert.equal(builds(), 2)
  })
}

test('the console is built again after a source is deleted', async () => {
  put('packages/console/src/app/shell/menu.tsx', '')
  await buildConsole(root)
  rmSync(join(root, 'packages/console/src/app/shell/menu.tsx'))
  await buildConsole(root)
  assert.equal(builds(), 2)
})

test('a test of the console is no reason to build it again', async () => {
  put('packages/console/src/main.test.ts', '')
  await buildConsole(root)
  touch('packages/console/src/main.test.ts')
  await buildConsole(root)
  assert.equal(builds(), 1)
})

test('a source that changes during the build counts as newer than it', async () => {
  const building = buildConsole(root)
  await sleep(100)
  put('packages/sms/src/gsm7.ts', 'changed')
  await building
  await buildConsole(root)
  assert.equal(builds(), 2)
})

test('a failed build reports its error and keeps the last one in place', async () => {
  await buildConsole(root)
  put('packages/console/src/app/main.tsx', 'broken')
  await assert.rejects(buildConsole(root), /The console could not be built/)
  assert.equal(page(), 'one')
})

test('if two processes find no build, one builds and the other waits for it', async () => {
  const call = `import('${import.meta.resolve('./build-console.ts')}').then((m) => m.buildConsole('${root}'))`
  const both = [spawn(process.execPath, ['-e', call]), spawn(process.execPath, ['-e', call])]
  const ends = await Promise.all(both.map((child) => once(child, 'exit')))
  assert.deepEqual(ends, [
    [0, null],
    [0, null],
  ])
  assert.equal(page(), 'one')
  assert.equal(builds(), 1)
})
