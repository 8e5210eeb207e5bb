import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import type { Membership } from '#agent/folder.ts'
import { temporaryFolder } from '#test/agents.ts'
import { openTerminal } from '#test/terminal.ts'

type Refusal = { status: number; body: unknown }

/** A server that links devices, or answers with the given refusal; and a terminal for the agent. */
async function openDesk(t: TestContext, refusal?: Refusal) {
  const asked: Record<string, unknown>[] = []
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as { uid?: string }
    asked.push({ route: `${request.method} ${request.url}`, ...body })
    const linked = {
      uid: body.uid ?? 'drone-x',
      secret: 'sdd_top',
      mqtt_url: 'mqtt://127.0.0.1:1883',
      acks: 'puback',
    }
    response.writeHead(refusal?.status ?? 201, { 'content-type': 'application/json' })
    response.end(JSON.stringify(refusal?.body ?? linked))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const folder = join(temporaryFolder(t), 'deep', 'folder')
  const path = join(folder, 'devices.json')
  const type = openTerminal(t, folder)
  return {
    asked,
    url,
    folder,
    path,
    type,
    link: (...more: string[]) =>
      type(
        'link',
        '--server',
        url,
        '--code',
        'ABCDE-FGHJK',
        '--driver',
        'scripted',
        '--folder',
        '/radio',
        ...more,
      ),
    devices: () => (JSON.parse(readFileSync(path, 'utf8')) as { devices: Membership[] }).devices,
  }
}

test('linking keeps uid, secret and broker in a file that only its owner can read, and prints no secret', async (t) => {
  const { link, asked, url, path, folder, devices } = await openDesk(t)
  const { status, printed } = await link('--uid', 'office-1', '--location', 'Madrid')
  assert.equal(status, 0)
  assert.deepEqual(asked, [
    { route: 'POST /api/devices/link', code: 'ABCDE-FGHJK', uid: 'office-1', location: 'Madrid' },
  ])
  const [{ linked_at, ...device }] = devices() as [Membership]
  assert.deepEqual(device, {
    uid: 'office-1',
    secret: 'sdd_top',
    mqtt_url: 'mqtt://127.0.0.1:1883',
    acks: 'puback',
    server_url: url,
    driver: 'scripted',
    settings: { folder: '/radio' },
  })
  assert.ok(Math.abs(Date.now() - Date.parse(linked_at)) < 60_000)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.match(printed, /^office-1 is linked\./)
  assert.doesNotMatch(printed, /sdd_top/)
})

test("a device may use another broker address than the server's", async (t) => {
  const { link, devices } = await openDesk(t)
  await link('--mqtt', 'wss://sms.example.org/mqtt')
  assert.deepEqual(
    devices().map(({ uid, mqtt_url }) => [uid, mqtt_url]),
    [['drone-x', 'wss://sms.example.org/mqtt']],
  )
})

test('a second device joins the first, and one can be forgotten', async (t) => {
  const { link, type, devices } = await openDesk(t)
  await link('--uid', 'one')
  await link('--uid', 'two', '--folder', '/other')
  assert.deepEqual(
    devices().map(({ uid }) => uid),
    ['one', 'two'],
  )
  assert.equal((await type('forget', 'one')).status, 0)
  assert.deepEqual(
    devices().map(({ uid }) => uid),
    ['two'],
  )
  assert.equal((await type('forget', 'one')).complained, 'one is not linked here: two is')
})

test("the server's refusal is shown in its own words", async (t) => {
  const detail = 'This link code is unknown, expired or used up. Ask an admin for a new one.'
  const { link, devices } = await openDesk(t, { status: 403, body: { detail, code: 'link_code_refused' } })
  const { status, complained } = await link()
  assert.deepEqual([status, complained], [1, `The server refused: ${detail}`])
  assert.deepEqual(devices(), [])
})

test('an impossible request is refused in one line that names the option, before a code is used', async (t) => {
  const { link, type, asked, url } = await openDesk(t)
  await link('--uid', 'one')
  asked.length = 0
  const given = ['link', '--server', url, '--code', 'C', '--driver', 'scripted']
  const wrong: [string[], RegExp][] = [
    [['link', '--code', 'C'], /^--server is missing: the address of the console, such as https:/],
    [
      ['link', '--server', 'sms.example.org', '--code', 'C'],
      /^--server sms\.example\.org is not an address: it must begin/,
    ],
    [['link', '--server', url], /^--code is missing: press 'Link device' in the console to get one/],
    [[...given, '--uid', 'a b'], /^--uid a b must be 1 to 64 of the characters/],
    [[...given, '--ca', '/no/ca.pem'], /^the file \/no\/ca\.pem of --ca cannot be used \(ENOENT\)/],
    [[...given, '--ca', import.meta.filename], /of --ca cannot be used \(it has no PEM certificate\)/],
    [[...given, '--mqtt', 'http://x'], /^--mqtt http:\/\/x is not a broker's address/],
    [[...given.slice(0, -1), 'pigeon'], /^--driver pigeon is not known: use one of scripted/],
    [given.slice(0, -2), /^--driver modem is not known: use one of scripted/],
    [
      [...given, '--uid', 'one'],
      /^--uid one is linked already: choose another, or remove it first with 'sdd-agent forget one'/,
    ],
    [[...given, '--folder', '/radio'], /^one has this scripted already: 'sdd-agent forget one' frees it/],
    [[...given, '--folder', ''], /^--folder is empty/],
    [[...given, '--colour', 'red'], /^Unknown option '--colour'/],
    [[...given, 'more'], /^"more" is one argument too many/],
    [['unlink'], /^unlink is not a command: use one of link, run/],
  ]
  for (const [args, complaint] of wrong) {
    const { status, complained } = await type(...args)
    assert.equal(status, 1, args.join(' '))
    assert.match(complained, complaint)
    assert.doesNotMatch(complained, /\n/)
  }
  assert.deepEqual(asked, [])
})

test('an unreachable server and a wrong server get different errors', async (t) => {
  const { type } = await openDesk(t)
  const other = await openDesk(t, { status: 200, body: { hello: 'world' } })
  const args = (url: string) => [
    'link',
    '--server',
    url,
    '--code',
    'C',
    '--driver',
    'scripted',
    '--folder',
    '/radio',
  ]
  const nobody = await type(...args('http://127.0.0.1:3'))
  assert.equal(
    nobody.complained,
    '--server http://127.0.0.1:3 cannot be reached (ECONNREFUSED): is the address right?',
  )
  const { complained } = await type(...args(other.url))
  assert.equal(complained, `--server ${other.url} answers 200, but is not an SMS Drone Dash server`)
})

test('a folder that cannot be created, and a damaged file, are named', async (t) => {
  const { link, path, type } = await openDesk(t)
  const blocked = await link('--dir', '/dev/null/agent')
  assert.equal(
    blocked.complained,
    'Cannot make the folder /dev/null/agent (ENOTDIR): choose another with --dir',
  )
  await link()
  writeFileSync(path, '{"devices": [{"uid": "half')
  assert.equal(
    (await type('run')).complained,
    `${path} is damaged: repair it, or move it away and link again`,
  )
})

test('a file that other users could read is made private by the next change', async (t) => {
  const { link, path } = await openDesk(t)
  await link('--uid', 'one')
  chmodSync(path, 0o644)
  await link('--uid', 'two', '--folder', '/other')
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('an agent without a device says how to link one', async (t) => {
  const folder = temporaryFolder(t)
  const { status, complained } = await openTerminal(t, folder)('run')
  assert.deepEqual(
    [status, complained],
    [1, `No device is linked in ${folder}: 'sdd-agent link --help' says how`],
  )
})

test('each command has its help, which names every option of every driver', async (t) => {
  const type = openTerminal(t, '/home/me/.sms-drone-dash')
  const general = await type('--help')
  assert.equal(general.status, 0)
  assert.match(general.printed, /sdd-agent link +links a device[^]+\/home\/me\/\.sms-drone-dash/)
  const { printed } = await type('link', '--help')
  for (const option of [
    '--server URL',
    '--code CODE',
    '--uid UID',
    '--driver DRIVER',
    '--dir FOLDER',
    '--folder FOLDER',
  ]) {
    assert.ok(printed.includes(option), option)
  }
  assert.equal((await type()).status, 1)
})
