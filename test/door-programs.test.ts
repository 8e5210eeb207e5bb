import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { needProgram } from '../scripts/debian.ts'
import { freePort } from '../scripts/free-port.ts'
import { testedClient } from '../scripts/tested-clients.ts'
import { type Installation, startInstallation } from './installation.ts'

/** Programs of Debian that know nothing of us, at the doors for e-mail and SMPP. */
const folder = mkdtempSync(join(tmpdir(), 'sdd-door-programs-'))
const WITHIN_MS = 20_000

let installation: Installation
let key: string
let short: { system_id: string; password: string }
const ports = { smtp: '', smpp: '' }

before(async () => {
  Object.assign(ports, { smtp: await freePort(), smpp: await freePort() })
  installation = await startInstallation({
    devices: 1,
    behaviour: { send_ms: [1, 5], delivery_ms: [1, 5], reply_ms: [1, 5], replying: 1, stopping: 0 },
    settings: { SMTP_PORT: ports.smtp, SMPP_PORT: ports.smpp },
  })
  const body = { name: 'programs', may: ['tasks:write', 'tasks:read', 'inbox:read'], smpp: true }
  const made = await installation.api<{ key: string; smpp: typeof short }>('/api/api-keys', body)
  key = made.body.key
  short = made.body.smpp
})
after(async () => {
  await installation.stop()
  rmSync(folder, { recursive: true })
})

type Sent = { text: string; to_number: string }

async function untilTask(text: string): Promise<Sent> {
  const path = `/api/external-tasks?search=${encodeURIComponent(text.slice(0, 40))}`
  return until(async () => {
    const { body } = await installation.api<{ tasks: Sent[] }>(path)
    return body.tasks.find((task) => task.text === text)
  }, `the SMS "${text}"`)
}

async function until<T>(find: () => Promise<T | undefined>, what: string): Promise<T> {
  for (const end = Date.now() + WITHIN_MS; Date.now() < end; await sleep(100)) {
    const found = await find()
    if (found !== undefined) return found
  }
  return assert.fail(`waited in vain for ${what}`)
}

for (const [way, tried] of Object.entries({ PLAIN: 'AUTH PLAIN', LOGIN: 'AUTH LOGIN' })) {
  test(`swaks sends an e-mail with AUTH ${way}`, async (t) => {
    const program = await needProgram('swaks', 'swaks')
    testedClient(t, { door: 'e-mail', client: '`swaks`', debian: 'swaks', tried })
    const text = `From swaks by ${way}`
    const args = ['--server', '127.0.0.1', '--port', ports.smtp, '--auth', way, '--auth-user', 'nas']
    // It takes a word that begins with + for an option.
    const mail = ['--from', 'nas@example.com', '--to', '0034600111222@sms', '--body', text]
    const { stdout } = await promisify(execFile)(program, [...args, '--auth-password', key, ...mail])
    assert.match(stdout, /250 2\.0\.0 /)
    assert.equal((await untilTask(text)).to_number, '+34600111222')
  })
}

test('Kannel, bound as a transceiver, sends texts of each alphabet and length, and hears of reports and received SMS', async (t) => {
  await needProgram('bearerbox', 'kannel')
  const tried = 'a transceiver with a short login: GSM-7, UCS-2 and long SMS, reports, received SMS'
  testedClient(t, { door: 'SMPP', client: 'Kannel', debian: 'kannel', tried })
  const heard: URL[] = []
  const receiver = createServer((request, response) => {
    heard.push(new URL(request.url!, 'http://127.0.0.1'))
    response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => receiver.close())
  await once(receiver, 'listening')
  const home = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const kannel = await startKannel(home)
  t.after(() => kannel.stop())

  const texts = ['From Kannel: {año} €', 'From Kannel: Ω ☺', `From Kannel, long: ${'0123456789'.repeat(20)}.`]
  for (const [index, text] of texts.entries()) {
    const reports = `${home}/report?type=%d&n=${index}`
    const fields = { to: '+34600111222', from: '100', 'dlr-mask': '31', 'dlr-url': reports }
    const login = { username: 'test', password: 'test', charset: 'UTF-8' }
    // Kannel takes its own GSM-7 alphabet unless it is told to use UCS-2.
    const coding = /[Ω☺]/.test(text) ? '2' : '0'
    const query = new URLSearchParams({ ...login, ...fields, coding, text })
    // Kannel answers 202 too before it is bound, and then keeps the SMS.
    const { status } = await fetch(`http://127.0.0.1:${kannel.port}/cgi-bin/sendsms?${String(query)}`)
    assert.equal(status, 202)
    await untilTask(text)
    await until(
      async () =>
        heard.find(
          ({ searchParams }) => searchParams.get('n') === `${index}` && searchParams.get('type') === '1',
        ),
      `the report of "${text}"`,
    )
  }
  const received = await until(
    async () => heard.find(({ pathname }) => pathname === '/received'),
    'a received SMS',
  )
  assert.equal(received.searchParams.get('from'), '+34600111222')
  assert.ok(received.searchParams.get('text'))
})

/** bearerbox and smsbox, bound to our door with the short login of a key. */
async function startKannel(home: string): Promise<{ port: string; stop(): Promise<void> }> {
  const [admin, box, port] = [await freePort(), await freePort(), await freePort()]
  mkdirSync(join(folder, 'spool'))
  const path = join(folder, 'kannel.conf')
  writeFileSync(
    path,
    `group = core
admin-port = ${admin}
admin-interface = "127.0.0.1"
admin-password = test
smsbox-port = ${box}
smsbox-interface = "127.0.0.1"
store-type = spool
store-location = "${folder}/spool"
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = door
host = 127.0.0.1
port = ${ports.smpp}
transceiver-mode = true
smsc-username = "${short.system_id}"
smsc-password = "${short.password}"
system-type = ""
source-addr-autodetect = true
reconnect-delay = 1

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${box}
sendsms-port = ${port}
sendsms-interface = "127.0.0.1"
sendsms-chars = "0123456789 +-"

group = sendsms-user
username = test
password = test
max-messages = 10
concatenation = true

group = sms-service
keyword = default
max-messages = 0
omit-empty = true
get-url = "${home}/received?from=%p&text=%a"
`,
  )
  const start = (program: string) => spawn(`/usr/sbin/${program}`, ['-v', '3', path], { stdio: 'ignore' })
  const bearerbox = start('bearerbox')
  await listening(box)
  const smsbox = start('smsbox')
  await listening(port)
  return {
    port,
    async stop() {
      for (const child of [smsbox, bearerbox]) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
    },
  }
}

function listening(port: string): Promise<true> {
  return until(
    () =>
      new Promise<true | undefined>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1')
        socket.once('connect', () => resolve(true)).once('error', () => resolve(undefined))
        socket.once('connect', () => socket.destroy())
      }),
    `port ${port}`,
  )
}
