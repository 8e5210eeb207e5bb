import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { revokeApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { createTransport, type SentMessageInfo } from 'nodemailer'
import { HOUR } from './clock.ts'
import { eventually } from './device.ts'
import { openDoorCompany } from './door-company.ts'
import { call } from './server.ts'
import { openSockets } from './sockets.ts'
import { testedClient } from '../../../scripts/tested-clients.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const TLS = {
  TLS_CERT_FILE: join(FIXTURES, 'localhost-cert.pem'),
  TLS_KEY_FILE: join(FIXTURES, 'localhost-key.pem'),
}

async function begin(t: TestContext, settings: Record<string, string> = {}) {
  const company = await openDoorCompany(t, { SMTP_PORT: '0', ...settings })
  const port = company.server.smtp_port!
  function mailer(pass = company.key.key, more: Record<string, unknown> = {}) {
    const transport = createTransport({ host: '127.0.0.1', port, auth: { user: 'anything', pass }, ...more })
    t.after(() => transport.close())
    return transport
  }
  return {
    ...company,
    port,
    mailer,
    send: (mail: Record<string, unknown>): Promise<SentMessageInfo> =>
      mailer().sendMail({
        from: 'a@example.com',
        to: '+34600111222@sms.example',
        ...mail,
      }) as Promise<SentMessageInfo>,
  }
}

/** A connection on which a test speaks SMTP itself. */
async function talk(t: TestContext, port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.setEncoding('utf8')
  let heard = ''
  let ended = false
  let news = Promise.withResolvers<void>()
  const tell = () => {
    news.resolve()
    news = Promise.withResolvers()
  }
  socket.on('data', (text) => {
    heard += String(text)
    tell()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    ended = true
    tell()
  })
  /** The next whole answer. */
  async function answer(): Promise<string> {
    for (;;) {
      const [whole] = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(heard) ?? []
      if (whole !== undefined) {
        heard = heard.slice(whole.length)
        return whole.trim()
      }
      if (ended) return 'closed'
      await news.promise
    }
  }
  await answer()
  return {
    answer,
    async say(line: string): Promise<string> {
      socket.write(`${line}\r\n`)
      return answer()
    },
    write: (text: string) => new Promise((resolve) => socket.write(text, resolve)),
    async leave() {
      socket.end()
      while ((await answer()) !== 'closed');
    },
  }
}

const plain = (key: string) => `AUTH PLAIN ${Buffer.from(`\0me\0${key}`).toString('base64')}`

test('nodemailer sends a mail to several numbers, and each becomes a task', async (t) => {
  testedClient(t, {
    door: 'e-mail',
    client: '`nodemailer`',
    npm: 'nodemailer',
    tried: 'several recipients, wrapped lines, a signature, HTML next to the text',
  })
  const { send, tasks, join: link } = await begin(t)
  await link('drone-1', '+34611000001')
  const { response = '' } = await send({
    from: '+34611000001@example.com',
    to: ['600111221@sms.example', '0034600111222@x', '+34 600 111 223@x'.replaceAll(' ', '')],
    subject: 'not sent',
    text: 'Hello ☺, a line that is long enough that it is wrapped in the mail, because it has more than 76 characters\n-- \nAna',
    html: '<b>no</b>',
  })
  const all = await tasks()
  assert.match(response, /^250 2\.0\.0 /)
  assert.deepEqual(response.split(' ').slice(2).sort(), all.map(({ guid }) => guid).sort())
  assert.deepEqual(all.map(({ to_number }) => to_number).sort(), [
    '+34600111221',
    '+34600111222',
    '+34600111223',
  ])
  assert.equal(
    all[0]!.text,
    'Hello ☺, a line that is long enough that it is wrapped in the mail, because it has more than 76 characters',
  )
  assert.equal(all[0]!.from_number, '+34611000001')
})

test('the answer names the tasks of 100 recipients in lines of 512 octets at most', async (t) => {
  const { port, key, tasks } = await begin(t)
  const one = await talk(t, port)
  await one.say('EHLO me')
  await one.say(plain(key.key))
  await one.say('MAIL FROM:<a@x>')
  for (let n = 0; n < 100; n++) await one.say(`RCPT TO:<6001${10_000 + n}@x>`)
  await one.say('DATA')
  const lines = (await one.say('Message-ID: <1@x>\r\nSubject: hello\r\n\r\n.')).split('\r\n')
  for (const line of lines) assert.ok(line.length + 2 <= 512, line)
  const guids = lines.flatMap((line, n) => {
    const [code, ...guids] = line.split(/(?<=^.{9}) | (?!2\.0\.0)/)
    assert.equal(code, n < lines.length - 1 ? '250-2.0.0' : '250 2.0.0')
    return guids
  })
  assert.deepEqual(guids.sort(), (await tasks()).map(({ guid }) => guid).sort())
})

test('the subject is the text of a mail without one', async (t) => {
  const { send, tasks } = await begin(t)
  await send({ subject: 'Disk full: mañana' })
  assert.equal((await tasks())[0]!.text, 'Disk full: mañana')
})

test('the same mail within a day is no second SMS', async (t) => {
  testedClient(t, { door: 'e-mail', client: '`nodemailer`', npm: 'nodemailer', tried: 'the same mail again' })
  const { send, tasks, clock } = await begin(t)
  const mail = { messageId: '<1@example.com>', text: 'once' }
  const first = await send(mail)
  assert.equal((await send(mail)).response, first.response)
  await send({ ...mail, text: 'other' })
  assert.equal((await tasks()).length, 2)
  clock.advance(25 * HOUR)
  assert.notEqual((await send(mail)).response, first.response)
  assert.equal((await tasks()).length, 3)
})

test('the same mail with another sender is no second SMS, and its new recipients are taken', async (t) => {
  const { send, tasks, join: link } = await begin(t)
  await link('drone-1', '+34611000001')
  const sim = '+34611000001@x'
  const mail = { messageId: '<1@example.com>', text: 'once', to: ['600111222@x', '600111223@x'] }
  const first = await send({ ...mail, from: 'nobody@x' })
  assert.equal((await send({ ...mail, from: sim })).response, first.response)
  const { response = '' } = await send({ ...mail, from: sim, to: ['600111224@x', ...mail.to] })
  const all = await tasks()
  const guids = ['+34600111224', '+34600111222', '+34600111223'].map(
    (number) => all.find(({ to_number }) => to_number === number)!.guid,
  )
  assert.equal(response, `250 2.0.0 ${guids.join(' ')}`)
  assert.equal(all.length, 3)
})

test('the same mail from two senders at once is one SMS', async (t) => {
  const { send, tasks, join: link } = await begin(t)
  await link('drone-1', '+34611000001')
  const mail = { messageId: '<1@example.com>', text: 'once' }
  const senders = ['nobody@x', '+34611000001@x']
  const sent = await Promise.all([...senders, ...senders].map((from) => send({ ...mail, from })))
  assert.equal(new Set(sent.map(({ response }) => response)).size, 1)
  assert.equal((await tasks()).length, 1)
})

test('a refusal has its code, and nothing of that mail is stored', async (t) => {
  testedClient(t, {
    door: 'e-mail',
    client: '`nodemailer`',
    npm: 'nodemailer',
    tried: 'refusals, and a mail over 256 KiB',
  })
  const { send, mailer, createKey, server, token, tasks } = await begin(t)
  await call(server, addOptOut, { token, body: { number: '+34600111223' } })
  const reader = await createKey({ may: ['tasks:read'] })
  const refusals: [mail: Record<string, unknown>, response: RegExp][] = [
    [{ to: 'ana@example.com', text: 'x' }, /^553 5\.1\.3 /],
    [{ text: '' }, /^554 5\.6\.0 /],
    [{ text: 'x'.repeat(1_531) }, /^552 5\.2\.3 /],
    [{ html: '<p>x</p>' }, /^554 5\.6\.1 /],
    [{ raw: 'Content-Type: text/plain; charset=klingon\r\n\r\nx' }, /^554 5\.6\.1 /],
    [{ to: ['+34600111222@x', '+34600111223@x'], text: 'x' }, /^550 5\.7\.1 /],
    [{ text: 'x'.repeat(300_000) }, /^552 5\.3\.4 /],
  ]
  for (const [mail, response] of refusals)
    await assert.rejects(
      send(mail.raw ? { ...mail, envelope: { from: 'a@x', to: '+34600111222@x' } } : mail),
      (error: { response: string }) => {
        assert.match(error.response, response)
        return true
      },
    )
  for (const key of ['sdk_wrong', reader.key])
    await assert.rejects(mailer(key).verify(), (error: { response: string }) =>
      error.response.startsWith('535 5.7.8 '),
    )
  assert.deepEqual(await tasks(), [])
})

test('a program must log in, names 100 recipients at most, and is cut off after three wrong keys', async (t) => {
  testedClient(t, {
    door: 'e-mail',
    client: 'lines of SMTP',
    tried: 'a size over 256 KiB announced, 101 recipients, no login, three wrong keys',
  })
  const { port, key } = await begin(t)
  const one = await talk(t, port)
  assert.match(await one.say('EHLO me'), /SIZE 262144/)
  assert.match(await one.say('MAIL FROM:<a@x>'), /^530 5\.7\.0 /)
  assert.match(await one.say(plain(key.key)), /^235 /)
  assert.match(await one.say('MAIL FROM:<a@x> SIZE=262145'), /^552 5\.3\.4 /)
  assert.match(await one.say('MAIL FROM:<a@x>'), /^250 /)
  for (let n = 0; n < 100; n++) assert.match(await one.say(`RCPT TO:<6001${10_000 + n}@x>`), /^250 /)
  assert.match(await one.say('RCPT TO:<600120000@x>'), /^452 4\.5\.3 /)
  const other = await talk(t, port)
  await other.say('EHLO me')
  for (let tries = 0; tries < 3; tries++) assert.match(await other.say(plain('sdk_wrong')), /^535 5\.7\.8 /)
  assert.match(await other.answer(), /^421 4\.7\.0 /)
  assert.equal(await other.answer(), 'closed')
})

test('a mail that comes octet by octet is taken, and of one that ends in the middle nothing is stored', async (t) => {
  const tried = 'a slow client, and one that leaves in the middle of a mail'
  testedClient(t, { door: 'e-mail', client: 'lines of SMTP', tried })
  const { port, key, tasks } = await begin(t)
  const begun = async () => {
    const one = await talk(t, port)
    await one.say('EHLO me')
    for (const line of [plain(key.key), 'MAIL FROM:<a@x>', 'RCPT TO:<600111222@x>', 'DATA'])
      await one.say(line)
    for (const octet of 'Subject: Disk\r\n\r\nslow\r\n') await one.write(octet)
    return one
  }
  await (await begun()).leave()
  const other = await begun()
  for (const octet of '.\r\n') await other.write(octet)
  assert.match(await other.answer(), /^250 2\.0\.0 /)
  assert.deepEqual(
    (await tasks()).map(({ text }) => text),
    ['slow'],
  )
})

test('a mail far over the limit is refused before its end, and ends its connection', async (t) => {
  const { port, key } = await begin(t)
  const one = await talk(t, port)
  await one.say('EHLO me')
  for (const line of [plain(key.key), 'MAIL FROM:<a@x>', 'RCPT TO:<600111222@x>', 'DATA']) await one.say(line)
  const line = `${'x'.repeat(998)}\r\n`
  // 2 MiB, without the line that ends a mail.
  for (let n = 0; n < 32; n++) await one.write(line.repeat(66))
  assert.match(await one.answer(), /^552 5\.3\.4 /)
  await one.leave()
})

test('after 50 wrong keys, and beyond DOORS_RATE, a program is told to try later', async (t) => {
  testedClient(t, { door: 'e-mail', client: 'lines of SMTP', tried: 'too many wrong keys; `DOORS_RATE`' })
  const { send, port } = await begin(t, { DOORS_RATE: '1' })
  await send({ text: 'one' })
  await assert.rejects(send({ text: 'two' }), (error: { response: string }) =>
    error.response.startsWith('451 4.7.1 '),
  )
  for (let wrong = 0; wrong < 50; wrong += 2) {
    const one = await talk(t, port)
    await one.say('EHLO me')
    for (let tries = 0; tries < 2; tries++) assert.match(await one.say(plain('sdk_wrong')), /^535 /)
  }
  const last = await talk(t, port)
  await last.say('EHLO me')
  assert.match(await last.say(plain('sdk_wrong')), /^421 4\.7\.1 /)
})

test('strangers who fill the door keep no program out', async (t) => {
  const { port, send, tasks } = await begin(t)
  const strangers = await openSockets(t, port, 520)
  for (const socket of strangers) socket.resume()
  await eventually(() => strangers.filter(({ closed }) => !closed).length <= 50)
  await send({ text: 'hello' })
  assert.equal((await tasks())[0]!.text, 'hello')
})

test('a revoked key ends its connections', async (t) => {
  const { port, key, server, token } = await begin(t)
  const one = await talk(t, port)
  await one.say('EHLO me')
  assert.match(await one.say(plain(key.key)), /^235 /)
  await call(server, revokeApiKey, { token, params: { id: key.id } })
  assert.match(await one.answer(), /^421 4\.7\.0 /)
})

test('with a certificate, STARTTLS comes before a key', async (t) => {
  testedClient(t, { door: 'e-mail', client: '`nodemailer`', npm: 'nodemailer', tried: 'STARTTLS' })
  setDefaultCACertificates([readFileSync(TLS.TLS_CERT_FILE, 'utf8')])
  const { port, key, mailer, tasks } = await begin(t, TLS)
  const one = await talk(t, port)
  assert.match(await one.say('EHLO me'), /STARTTLS/)
  assert.match(await one.say(plain(key.key)), /^538 /)
  const transport = mailer(key.key, {
    requireTLS: true,
    tls: { servername: 'localhost' },
  })
  await transport.sendMail({ from: 'a@x', to: '+34600111222@x', text: 'secret' })
  assert.equal((await tasks())[0]!.text, 'secret')
})
