import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { verifyRelease } from '@sdd/agent/release.ts'
import { ROOT } from '../../scripts/run.ts'
import { tooLarge } from './build.ts'
import { filesIn } from './deb.ts'
import { forBuildah } from './image.ts'
import { agentUnit, serverUnit } from './packages.ts'
import { signSums } from './sign.ts'
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
    assert.match(unit, /^EnvironmentFile=-\/etc\//m)
    assert.doesNotMatch(unit, /\/opt\/|\/usr\/local|=sms$|lib\/sms(?!-)/m)
    const rights = (text: string) => /^# Rights that it does not need[^]*/m.exec(text)![0]
    assert.equal(rights(unit), rights(read(original)))
  }
})

test('a release does not exceed the size of any of its files', () => {
  const sizes: [string, number][] = [
    ['sms-drone-dash_0.1.0_amd64.deb', 50_000_000],
    ['sdd-agent_0.1.0_arm64.deb', 43_100_000],
    ['sms-drone-dash-0.1.0-image.tar', 400_000_000],
  ]
  assert.deepEqual(tooLarge(sizes), [
    'sdd-agent_0.1.0_arm64.deb has 43.1 MB; its budget is 43 MB',
    'sms-drone-dash-0.1.0-image.tar has 400.0 MB; its budget is 350 MB',
  ])
})

test('the image can be built on other base images', () => {
  const written = forBuildah(read('deploy/docker/Dockerfile'), { node: 'a:1', debian: 'b:2' })
  assert.deepEqual(
    [...written.matchAll(/^FROM (.+)$/gm)].map(([, from]) => from),
    ['a:1 AS build', 'b:2'],
  )
  assert.doesNotMatch(written, /start-interval/)
})

/** A folder with these programs, each a line of shell, first in PATH. */
function programs(t: TestContext, lines: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-programs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text, { mode: 0o755 })
  }
  for (const [name, line] of Object.entries(lines)) put(`path/${name}`, `#!/bin/sh\n${line}\n`)
  /** Runs a script of deploy/debian, whose folders are below this one. */
  const sh = (script: string, args: string[], { cwd = folder, env = {} } = {}) => {
    const text = read(`deploy/debian/${script}`).replaceAll(/\/(?=etc\/|usr\/lib\/)/g, `${folder}/`)
    put(`scripts/${script}`, text)
    return execFileSync('sh', [join(folder, 'scripts', script), ...args], {
      cwd,
      env: { PATH: `${join(folder, 'path')}:${process.env.PATH}`, ...env },
      encoding: 'utf8',
    })
  }
  return { folder, put, sh }
}

test('the server’s programs use its database, and the files of the caller’s folder', (t) => {
  const { folder, put, sh } = programs(t, { id: 'echo 0', setpriv: 'shift 3; exec "$@"' })
  put('usr/lib/sms-drone-dash/bin/node', '#!/bin/sh\necho "$SDD_COMMAND: ${DATA_DIR-of the file}" "$@"\n')
  const env = { DATA_DIR: '/of/a/shell' }
  const asked = ['restore', 'old.db', '/b.db', '--keep-access', 'postgres://host/database']
  const rest = `packages/server/src/app/commands/restore.ts ${folder}/old.db /b.db --keep-access postgres://host/database`
  const options = `--env-file-if-exists=${folder}/etc/sms-drone-dash/server.env`
  const usual = `sudo sms-drone-dash: /var/lib/sms-drone-dash/data ${options} ${rest}\n`
  assert.equal(sh('sms-drone-dash', asked, { env }), usual)
  put('etc/sms-drone-dash/server.env', '#DATA_DIR=/old\nHOST=127.0.0.1\n')
  assert.equal(sh('sms-drone-dash', asked, { env }), usual)
  put('etc/sms-drone-dash/server.env', 'HOST=127.0.0.1\nDATA_DIR=/srv/sms\n')
  assert.equal(sh('sms-drone-dash', asked, { env }), `sudo sms-drone-dash: of the file ${options} ${rest}\n`)
  const user = sh('sms-drone-dash', ['new-password', 'ana'], { env })
  const program = 'packages/server/src/app/commands/new-password.ts'
  assert.equal(user, `sudo sms-drone-dash: of the file ${options} ${program} ana\n`)
})

test('a package is configured although its settings were deleted', (t) => {
  const well = 'exit 0'
  const { sh, put } = programs(t, {
    getent: well,
    usermod: well,
    install: well,
    systemctl: well,
    'deb-systemd-helper': well,
    'deb-systemd-invoke': well,
    chgrp: 'test -e "$2" && echo "$1"',
  })
  const env = { DPKG_MAINTSCRIPT_PACKAGE: 'sdd-agent' }
  assert.equal(sh('postinst', ['configure'], { env }), '')
  put('etc/sdd-agent/agent.env', '')
  assert.equal(sh('postinst', ['configure'], { env }), 'sdd-agent\n')
})

test('an upgrade keeps changed settings without a question', (t) => {
  const { folder, put, sh } = programs(t, { id: 'echo 0', dpkg: 'echo amd64', 'apt-get': 'echo "$@"' })
  const file = 'sdd-agent_1.2.3_amd64.deb'
  put(file, 'package')
  put('SHA256SUMS', `${createHash('sha256').update('package').digest('hex')}  ${file}\n`)
  const said = sh('install.sh', ['agent', folder])
  for (const option of ['confdef', 'confold'])
    assert.match(said, new RegExp(`-o Dpkg::Options::=--force-${option} `))
})

test('the list of a package’s files has names with a dot, and does not follow links', (t) => {
  const { folder, put } = programs(t, {})
  put('lib/.bin/tool', '')
  symlinkSync('lib', join(folder, 'link'))
  assert.deepEqual(filesIn(folder), ['lib', 'lib/.bin', 'lib/.bin/tool', 'link'])
})

test('the agent accepts a release that was signed, and the same key gives the same signature', async (t) => {
  const { folder: keys, put: putKey } = programs(t, {})
  const { folder, put } = programs(t, {})
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  putKey('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  put('install.sh', 'text')
  put('SHA256SUMS', `${createHash('sha256').update('text').digest('hex')}  install.sh\n`)
  signSums(folder, join(keys, 'key.pem'))
  assert.deepEqual(await verifyRelease(folder, publicKey), ['install.sh'])
  const signature = readFileSync(join(folder, 'SHA256SUMS.sig'), 'utf8')
  signSums(folder, join(keys, 'key.pem'))
  assert.equal(readFileSync(join(folder, 'SHA256SUMS.sig'), 'utf8'), signature)
})
