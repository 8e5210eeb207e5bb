import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { boundaries, ENGINE_PACKAGES, OTHER_PACKAGES, SHARED_PACKAGES } from './boundaries.ts'

const root = join(import.meta.dirname, '..')
const fixtures = join(import.meta.dirname, 'fixtures')

type Finding = { filename: string; code: string; message: string; help?: string; labels: Label[] }
type Label = { span: { line: number } }

const findings = lint(fixtures)

/** Places by fault: `file specifier` for an import, `file:line` for anything else, relative to packages/. */
const found = Map.groupBy(findings.map(placed), ({ wrong }) => wrong)

const forbiddenImports: Record<string, string[]> = {
  'Only @sdd/storage opens SQLite and PostgreSQL': [
    'server/src/core/bad.ts node:sqlite',
    'server/src/core/bad.ts pg',
    'server/src/core/http/bad.ts pg',
    'server/src/messages/messages/attempts.store.ts pg',
    'server/src/messages/messages/bad.ts node:sqlite',
    'server/src/messages/messages/bad.ts pg',
    'server/src/messages/messages/every-form.ts pg/all',
    'server/src/messages/messages/every-form.ts pg/default',
    'server/src/messages/messages/every-form.ts pg/export-type',
    'server/src/messages/messages/every-form.ts pg/late',
    'server/src/messages/messages/every-form.ts pg/named',
    'server/src/messages/messages/every-form.ts pg/require',
    'server/src/messages/messages/every-form.ts pg/type',
    'server/src/messages/messages/store.ts node:sqlite',
    'server/src/messages/messages/store.ts pg',
  ],
  'Import from other folders by #server/… (or the own package’s prefix) or @sdd/…, never by ../': [
    'console/src/ui/bad.tsx ../core/session.ts',
    'console/test/devices.test.ts ../src/main.tsx',
    'contract/src/bad.ts ../../sms/src/segments.ts',
    'http/src/bad.ts ../../sms/src/segments.ts',
    'mqtt/src/endpoint/bad.ts ../codec/frames.ts',
    'server/src/core/bad.ts ../config.ts',
    'server/src/core/bad.ts ./../config.ts',
    'server/src/messages/messages/bad.ts ../devices/devices.ts',
    'server/src/messages/messages/messages.test.ts ../devices/devices.ts',
    'simulator/test/fleet.test.ts ../src/fleet.ts',
    'sms/src/bad.ts ../test/vectors/index.ts',
  ],
  'A package imports no packages except @sdd/contract, @sdd/sms and engines': [
    'agent/src/bad.ts @sdd/server/src/app.ts',
    'console/src/ui/bad.tsx @sdd/server/src/app.ts',
    'console/test/devices.test.ts @sdd/simulator/src/fleet.ts',
    'mcp/src/bad.ts @sdd/server/src/app.ts',
    'server/src/core/bad.ts @sdd/console/src/main.tsx',
    'server/src/core/bad.ts @sdd/simulator/src/fleet.ts',
    'server/src/messages/messages/bad.ts @sdd/simulator/src/fleet.ts',
    'server/src/messages/messages/messages.test.ts @sdd/simulator/src/fleet.ts',
    'simulator/src/bad.ts @sdd/agent/src/main.ts',
    'simulator/src/bad.ts @sdd/console/src/main.tsx',
    'simulator/src/bad.ts @sdd/server/src/app.ts',
    'simulator/test/fleet.test.ts @sdd/console/src/main.tsx',
  ],
  'Only tests of @sdd/mqtt import mqtt-packet': [
    'mqtt/src/endpoint/bad.ts mqtt-packet',
    'server/src/core/bad.ts mqtt-packet',
    'server/src/messages/messages/bad.ts mqtt-packet',
  ],
  "Only the server's core/http imports @sdd/http": [
    'server/src/app/app.ts @sdd/http/http-server.ts',
    'server/src/core/bad.ts @sdd/http/http-server.ts',
    'server/src/database/bad.ts @sdd/http/http-server.ts',
    'server/src/messages/messages/bad.ts @sdd/http/http-server.ts',
    'simulator/src/bad.ts @sdd/http/http-server.ts',
  ],
  'Only @sdd/mqtt knows the libraries of MQTT and WebSockets': [
    'server/src/core/bad.ts ws',
    'server/src/core/http/bad.ts ws',
    'server/src/database/bad.ts ws',
  ],
  'An engine imports no other package of ours': [
    'http/src/bad.test.ts @sdd/contract/core/errors.ts',
    'http/src/bad.ts @sdd/contract/core/errors.ts',
    'http/src/bad.ts @sdd/mqtt/codec/bytes.ts',
    'http/src/bad.ts @sdd/server/src/app.ts',
    'http/src/bad.ts @sdd/sms/segments.ts',
    'mqtt/src/endpoint/bad.ts @sdd/contract/core/live.ts',
    'mqtt/src/endpoint/bad.ts @sdd/server/src/app.ts',
    'mqtt/src/endpoint/bad.ts @sdd/sms/segments.ts',
    'mqtt/test/bad.ts @sdd/contract/core/live.ts',
    'mqtt/test/bad.ts @sdd/server/src/app.ts',
    'storage/src/bad.ts @sdd/contract/core/errors.ts',
    'storage/src/bad.ts @sdd/http/http-server.ts',
    'storage/src/bad.ts @sdd/server/src/app.ts',
  ],
  'Only serial/ opens the serial port': [
    'agent/src/bad.ts @serialport/bindings-cpp',
    'agent/src/bad.ts serialport',
  ],
  'process is a global; only config.ts reads its env': [
    'http/src/bad.ts node:process',
    'mcp/src/bad.ts node:process',
    'server/src/core/bad.ts node:process',
  ],
  'client depends only on Node': [
    'client/src/bad.ts @sdd/contract/core/errors.ts',
    'client/src/bad.ts zod/mini',
  ],
  'sms depends on nothing': [
    'sms/src/bad.ts ../test/vectors/index.ts',
    'sms/src/bad.ts @sdd/contract/fields.ts',
    'sms/src/bad.ts node:fs',
    'sms/src/bad.ts zod/mini',
  ],
  'ui does not fetch data': [
    'console/src/ui/bad.tsx #console/core/api.ts',
    'console/src/ui/bad.tsx @tanstack/react-query',
  ],
  'Only the server imports engines; other packages import only the codec of @sdd/mqtt': [
    'simulator/src/bad.ts @sdd/mqtt/endpoint/endpoint.ts',
    'simulator/src/bad.ts @sdd/storage/open.ts',
  ],
  'contract depends only on zod': [
    'contract/src/bad.ts ../../sms/src/segments.ts',
    'contract/src/bad.ts @sdd/server/src/app.ts',
    'contract/src/bad.ts @sdd/sms/segments.ts',
    'contract/src/bad.ts node:fs',
    'contract/src/bad.ts pg',
  ],
}

const otherFindings: Record<string, string[]> = {
  'import(no-cycle)': ['server/src/fleet/devices/circle.ts:1', 'server/src/messages/messages/circle.ts:1'],
  'eslint(no-restricted-properties)': [
    'server/src/tasks/environment.ts:1',
    'server/src/tasks/environment.ts:2',
    'server/src/tasks/environment.ts:2',
    'server/src/tasks/environment.ts:2',
    'server/src/tasks/environment.ts:2',
  ],
  'eslint(no-console)': ['console/src/core/bad.ts:1', 'server/src/tasks/promises.ts:9'],
  'eslint(no-unused-vars)': ['server/src/tasks/language.ts:14'],
  'typescript(await-thenable)': ['server/src/tasks/promises.ts:9'],
  'typescript(no-floating-promises)': ['server/src/tasks/promises.ts:8'],
  'typescript(no-misused-promises)': ['server/src/tasks/promises.ts:10', 'server/src/tasks/promises.ts:9'],
  'typescript(consistent-type-imports)': ['server/src/messages/messages/every-form.ts:7'],
  'typescript(no-explicit-any)': ['server/src/tasks/language.ts:13'],
  'typescript(no-namespace)': ['server/src/tasks/language.ts:5'],
  'typescript(no-require-imports)': ['server/src/messages/messages/every-form.ts:3'],
  'typescript(parameter-properties)': ['server/src/tasks/language.ts:9'],
}

for (const [wrong, places] of Object.entries({ ...forbiddenImports, ...otherFindings })) {
  test(`lint finds every breach of: ${wrong}`, () => {
    assert.deepEqual(
      found
        .get(wrong)
        ?.map(({ place }) => place)
        .sort(),
      places,
    )
  })
}

test('lint reports nothing in good files', () => {
  const expected = new Set([...Object.keys(forbiddenImports), ...Object.keys(otherFindings)])
  assert.deepEqual(
    [...found.keys()].filter((wrong) => !expected.has(wrong)),
    [],
  )
})

test('every ban of the table has a fixture that breaks it', () => {
  const bans = boundaries.flatMap((entry) => JSON.stringify(entry).match(/(?<="message":")[^"]+/g) ?? [])
  assert.deepEqual([...new Set(bans)].sort(), Object.keys(forbiddenImports).sort())
})

test('the table has every package that it must know', () => {
  assert.deepEqual(
    folders('packages').sort(),
    [...SHARED_PACKAGES, ...ENGINE_PACKAGES, ...OTHER_PACKAGES].sort(),
  )
})

test('an enum is a type error, in every package', () => {
  const { stdout } = runTool('typescript/bin/tsc', ['-p', fixtures], root)
  assert.match(stdout, /language\.ts\(2,6\): error TS1294/)
  assert.equal(options('.').erasableSyntaxOnly, true)
  assert.equal(options('packages/console').erasableSyntaxOnly, true)
})

test('the repository’s own check leaves the fixtures out', () => {
  const { stdout } = runTool('oxlint/bin/oxlint', ['--debug=files'], root)
  assert.match(stdout, /lint\/boundaries\.test\.ts/)
  assert.doesNotMatch(stdout, /lint\/fixtures/)
})

function lint(folder: string): Finding[] {
  const { stdout } = runTool(
    'oxlint/bin/oxlint',
    ['-c', 'root.config.ts', '--format=json', 'packages'],
    folder,
  )
  return (JSON.parse(stdout) as { diagnostics: Finding[] }).diagnostics
}

function placed({ filename, code, message, help, labels }: Finding): { wrong: string; place: string } {
  const file = filename.replace('packages/', '')
  if (code !== 'eslint(no-restricted-imports)')
    return { wrong: code, place: `${file}:${labels[0]?.span.line}` }
  const specifier = /^'([^']+)' import (?:from '([^']+)')?/.exec(message)
  return { wrong: help ?? message, place: `${file} ${specifier?.[2] ?? specifier?.[1]}` }
}

function runTool(bin: string, args: string[], cwd: string): { stdout: string } {
  return spawnSync(process.execPath, [join(root, 'node_modules', bin), ...args], { cwd, encoding: 'utf8' })
}

function options(project: string): { erasableSyntaxOnly?: boolean } {
  const { stdout } = runTool('typescript/bin/tsc', ['-p', project, '--showConfig'], root)
  return (JSON.parse(stdout) as { compilerOptions: { erasableSyntaxOnly?: boolean } }).compilerOptions
}

function folders(path: string): string[] {
  const entries = readdirSync(join(root, path), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}
