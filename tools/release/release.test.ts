import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../scripts/run.ts'
import { forBuildah } from './image.ts'
import { agentUnit, serverUnit } from './packages.ts'
import { changesOf, setVersion } from './version.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('a new version is written into every file that names the old one', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sdd-version-'))
  t.after(() => rmSync(root, { recursive: true }))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' })
  const named = execFileSync('git', ['grep', '-lF', version], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
  for (const path of new Set([...named, 'CHANGELOG.md', 'package-lock.json'])) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    cpSync(join(ROOT, path), join(root, path))
  }
  git('init')
  git('add', '.')
  setVersion(version, '7.8.9', '2027-01-02', root)
  const ours = new RegExp(
    `(version"?: |@sdd/\\w+": |VERSION = |sdd-simulator/|sms-drone-dash[:/]|newTag: |sdd-agent-)["']?${RegExp.escape(version)}`,
  )
  for (const path of named.filter((path) => !/\.lock|package-lock|tools\/|test\//.test(path)))
    assert.doesNotMatch(readFileSync(join(root, path), 'utf8'), ours, path)
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    version: string
    packages: Record<string, { version?: string; dependencies?: Record<string, string> }>
  }
  assert.deepEqual(
    [lock.version, lock.packages['']!.version, lock.packages['packages/server']!.version],
    ['7.8.9', '7.8.9', '7.8.9'],
  )
  assert.equal(lock.packages['packages/server']!.dependencies!['@sdd/http'], '7.8.9')
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  assert.match(changelog, /\n## Unreleased\n\n## 7\.8\.9 \(2027-01-02\)\n/)
  assert.match(changesOf(changelog, '7.8.9'), /^# SMS Drone Dash 7\.8\.9\n\n/)
})

test('a version’s changes are its own part of the changelog', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- c\n\n## 0.2.0 (2027-01-01)\n\n- b\n\n## 0.1.0 (2026-01-01)\n\n- a\n'
  assert.equal(changesOf(changelog, '0.2.0'), '# SMS Drone Dash 0.2.0\n\n- b\n')
  assert.equal(changesOf(changelog, '0.3.0'), '# SMS Drone Dash 0.3.0\n\n- c\n')
})

test('the units of the packages name only their own folders, and keep every right that is taken away', () => {
  const units: [unit: string, original: string][] = [
    [serverUnit(read('deploy/systemd/sms-drone-dash.service')), 'deploy/systemd/sms-drone-dash.service'],
    [agentUnit(read('docs/agent/sdd-agent.service')), 'docs/agent/sdd-agent.service'],
  ]
  for (const [unit, original] of units) {
    assert.doesNotMatch(unit, /\/opt\/|\/usr\/local|=sms$|lib\/sms(?!-)/m)
    const rights = (text: string) => /^# Rights that it does not need[^]*/m.exec(text)![0]
    assert.equal(rights(unit), rights(read(original)))
  }
})

test('the image can be built on other base images', () => {
  const written = forBuildah(read('deploy/docker/Dockerfile'), { node: 'a:1', debian: 'b:2' })
  assert.deepEqual(
    [...written.matchAll(/^FROM (.+)$/gm)].map(([, from]) => from),
    ['a:1 AS build', 'b:2'],
  )
  assert.doesNotMatch(written, /start-interval/)
})
