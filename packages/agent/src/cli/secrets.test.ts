import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Membership } from '#agent/folder.ts'
import { temporaryFolder } from '#test/agents.ts'
import { openTerminal } from '#test/terminal.ts'

const fixture = (name: string) => join(import.meta.dirname, '../../test/fixtures', name)
const PROCESS = join(import.meta.dirname, '../../test/agent-process.ts')

/** A server with TLS that links every device and names this broker, and a person who types these secrets. */
async function begin(t: TestContext, { mqtt_url = 'mqtts://localhost:8883', typed = [] as string[] } = {}) {
  const codes: unknown[] = []
  const tls = { cert: readFileSync(fixture('localhost.crt')), key: readFileSync(fixture('localhost.key')) }
  const server = createServer(tls, (request, response) => {
    request.setEncoding('utf8').on('data', (body: string) => {
      codes.push((JSON.parse(body) as { code: string }).code)
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ uid: 'drone-1', secret: 'sdd_top', mqtt_url, acks: 'puback' }))
    })
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `https://localhost:${(server.address() as { port: number }).port}`
  const home = temporaryFolder(t)
  const folder = join(home, 'agent')
  const type = openTerminal(t, folder, { typed })
  const args = ['link', '--server', url, '--ca', fixture('localhost.crt'), '--driver', 'scripted']
  args.push('--folder', '/radio')
  return {
    url,
    args,
    codes,
    folder,
    link: (...more: string[]) => type(...args, ...more),
    /** A file with this text. */
    file(text: string): string {
      const path = join(home, 'secret.txt')
      writeFileSync(path, text)
      return path
    },
    devices: () =>
      (JSON.parse(readFileSync(join(folder, 'devices.json'), 'utf8')) as { devices: Membership[] }).devices,
  }
}

test('a code and a PIN given as - are asked for, and are not in the command line', async (t) => {
  const { link, codes, devices } = await begin(t, { typed: ['ABCDE-FGHJK', ' 1234 '] })
  const { status, printed, complained } = await link('--code', '-', '--pin', '-')
  assert.deepEqual([status, complained], [0, ''])
  assert.match(printed, /^code: \npin: \n/)
  assert.deepEqual(codes, ['ABCDE-FGHJK'])
  assert.deepEqual(devices()[0]!.settings, { folder: '/radio', pin: '1234' })
})

test('a secret is read from the first line of a file', async (t) => {
  const { link, file, devices } = await begin(t)
  const { status, complained } = await link('--code', 'C', '--pin-file', file('4321\nmore\n'))
  assert.deepEqual([status, complained], [0, ''])
  assert.equal(devices()[0]!.settings['pin'], '4321')
})

test('a secret of the device in the command line works with a warning; a code, which is soon used up, without one', async (t) => {
  const { link, devices } = await begin(t)
  const { status, complained } = await link('--code', 'C', '--pin', '4321')
  assert.equal(status, 0)
  assert.match(complained, /^--pin is readable in the shell's history: give it by --pin-file FILE/)
  assert.doesNotMatch(complained, /4321|--code/)
  assert.equal(devices()[0]!.settings['pin'], '4321')
})

test('a missing secret is reported before a code is used', async (t) => {
  const { link, file, codes } = await begin(t)
  for (const [more, why] of [
    [['--pin-file', '/no/pin'], /^--pin-file \/no\/pin cannot be read \(ENOENT\)/],
    [['--pin-file', file('\n')], /^--pin-file \S+ is empty/],
    [['--pin', '-'], /^--pin - is empty/],
    [['--pin', '1', '--pin-file', '/no/pin'], /^--pin and --pin-file are both given/m],
  ] as const) {
    const { status, complained } = await link('--code', 'C', ...more)
    assert.deepEqual([status, codes], [1, []])
    assert.match(complained, why)
  }
})

test('without a terminal, secrets are read from standard input, one per line', async (t) => {
  const { args, folder, codes, devices } = await begin(t)
  const command = [PROCESS, ...args, '--dir', folder, '--code', '-', '--pin', '-']
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end('ABCDE-FGHJK\n1234\n')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  assert.deepEqual(codes, ['ABCDE-FGHJK'])
  assert.equal(devices()[0]!.settings['pin'], '1234')
})

test('the list of processes does not show the command line', async (t) => {
  const { args, folder } = await begin(t)
  const command = [PROCESS, ...args, '--dir', folder, '--code', '-', '--pin', '987654']
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'ignore', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  // The warning comes once the agent runs; then it waits for the code.
  await once(child.stderr, 'data')
  const shown =
    process.platform === 'linux'
      ? readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'args=', '-p', String(child.pid)], { encoding: 'utf8' })
  assert.match(shown, /^sdd-agent/)
  assert.doesNotMatch(shown, /987654/)
})

test('a device linked over https refuses a broker without TLS, unless told to accept it', async (t) => {
  const { link, url, folder, devices } = await begin(t, { mqtt_url: 'mqtt://localhost:1883' })
  const { status, complained } = await link('--code', 'C')
  assert.equal(status, 1)
  assert.match(complained, /sends drone-1 to mqtt:\/\/localhost:1883, where its secret .* unencrypted/)
  assert.match(complained, new RegExp(`--mqtt wss://${new URL(url).host}/mqtt`))
  assert.doesNotMatch(readFileSync(join(folder, 'devices.json'), 'utf8'), /sdd_top/)
  assert.equal((await link('--code', 'C', '--mqtt', 'mqtt://localhost:1883')).status, 0)
  assert.equal(devices()[0]!.mqtt_url, 'mqtt://localhost:1883')
})
