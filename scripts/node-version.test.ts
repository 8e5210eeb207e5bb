import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { ROOT } from './run.ts'

const guard = join(import.meta.dirname, 'node-version.cjs')

test('on an older Node a script says in one line what to do, and ends', () => {
  const folder = mkdtempSync(join(tmpdir(), 'node-version-'))
  const older = join(folder, 'older.cjs')
  writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '24.9.0' })")
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-r', older, '-r', guard, '-p', '"it ran all the same"'],
    { encoding: 'utf8' },
  )
  rmSync(folder, { recursive: true })
  assert.equal(status, 1)
  assert.equal(stdout, '')
  assert.match(
    stderr,
    /^SMS Drone Dash needs Node 26 and this is Node 24\.9\.0: .*install Node 26 and name it in SDD_NODE.*\n$/,
  )
})

test('on this Node it prints nothing', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', guard, '-p', '1'], {
    encoding: 'utf8',
  })
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '1\n', stderr: '' })
})

test('every npm script runs the check first', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const { start, ...others } = scripts
  for (const command of Object.values(others))
    assert.match(
      command,
      /^exec "\$\{SDD_NODE:-node\}" -r \.\/scripts\/node-version\.cjs (scripts|tools\/\w+|packages\/server\/src\/app\/commands)\/[\w-]+\.ts( |$)/,
    )
  assert.equal(
    start,
    '"${SDD_NODE:-node}" -r ./scripts/node-version.cjs scripts/build.ts && ' +
      'MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=4194304 MALLOC_TRIM_THRESHOLD_=4194304 ' +
      'exec "${SDD_NODE:-node}" --max-semi-space-size=16 packages/server/dist/main.js',
  )
})

test('SDD_NODE sets the Node that runs an npm script, whichever Node npm installed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'node-named-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const own = join(folder, 'my node')
  writeFileSync(own, `#!/bin/sh\necho "mine: $*"\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const start = (env: Record<string, string>) =>
    spawnSync('sh', ['-c', `${scripts['start']} --help`], {
      cwd: ROOT,
      env: { PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`, ...env },
      encoding: 'utf8',
    }).stdout
  assert.match(
    start({ SDD_NODE: own }),
    /^mine: .* scripts\/build\.ts\n(?:Building .*\n)*mine: --max-semi-space-size=16 .* --help\nSMS Drone Dash/,
  )
  assert.match(start({}), /^SMS Drone Dash/)
})
