import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import { startMailServer } from '#test/mail-server.ts'
import { openMailing } from './mailing.ts'

/** A mail server on a port of its own. */
async function begin(t: TestContext, options: SMTPServerOptions = {}, url = 'smtp://user:pass%20word@') {
  const server = await startMailServer(options)
  const mailing = openMailing({
    SMTP_URL: `${url}${server.address}`,
    SMTP_FROM: 'SMS alerts <alerts@fleet.example>',
  })
  t.after(async () => {
    mailing.close()
    await server.stop()
  })
  return { taken: server.received, mailing }
}

const MAIL = {
  id: 'msg_1',
  to: ['ana@example.com', 'luis@example.com'],
  subject: 'Alert: device disconnected: Roof',
  text: 'Alert: device disconnected: Roof. It has been away.',
}

test('one e-mail goes to all addresses, with a Message-ID that each try repeats', async (t) => {
  const { taken, mailing } = await begin(t)
  assert.deepEqual(await mailing.send(MAIL), { delivered: true, detail: null })
  assert.deepEqual(await mailing.send(MAIL), { delivered: true, detail: null })
  const [first, second] = taken
  assert.deepEqual([first!.from, first!.to, first!.user], ['alerts@fleet.example', MAIL.to, 'user'])
  assert.match(first!.text, /^From: SMS alerts <alerts@fleet\.example>\r$/m)
  assert.match(first!.text, /^Subject: Alert: device disconnected: Roof\r$/m)
  assert.match(first!.text, /\r\n\r\nAlert: device disconnected: Roof\. It has been away\.\r\n/)
  for (const { text } of [first!, second!]) assert.match(text, /^Message-ID: <msg_1@fleet\.example>\r$/m)
})

test('a line break in a subject adds no header and no recipient', async (t) => {
  const { taken, mailing } = await begin(t)
  const subject = 'Alert\r\nBcc: eve@example.com\r\n\r\nbody'
  assert.deepEqual(await mailing.send({ ...MAIL, subject }), { delivered: true, detail: null })
  assert.deepEqual(taken[0]!.to, MAIL.to)
  const [head] = taken[0]!.text.split('\r\n\r\n')
  assert.match(head!, /^Subject: Alert Bcc: eve@example\.com +body\r$/m)
  assert.doesNotMatch(head!, /^Bcc:/m)
})

test('a refusal has the words of the mail server, and never the password', async (t) => {
  const { mailing } = await begin(t, {
    onData(stream, _, done) {
      stream.resume()
      stream.on('end', () => done(Object.assign(new Error('the mailbox is full'), { responseCode: 552 })))
    },
  })
  assert.deepEqual(await mailing.send(MAIL), { delivered: false, detail: '552 the mailbox is full' })
  const wrong = await begin(t, {}, 'smtp://user:secret-1@')
  const { detail } = (await wrong.mailing.send(MAIL))!
  assert.match(detail!, /\[password\]/)
  assert.doesNotMatch(detail!, /secret-1/)
})

test('an e-mail that the mail server refuses for some recipients is delivered with a note, and for all it fails', async (t) => {
  let refused = 'luis'
  const { mailing, taken } = await begin(t, {
    onRcptTo({ address }, _, done) {
      const refuses = address.startsWith(refused)
      done(refuses ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null)
    },
  })
  const detail = 'Refused for luis@example.com. 550 no such user'
  assert.deepEqual(await mailing.send(MAIL), { delivered: true, detail })
  assert.deepEqual(taken[0]!.to, ['ana@example.com'])
  refused = ''
  assert.deepEqual(await mailing.send(MAIL), { delivered: false, detail: '550 no such user' })
})

test('an e-mail whose mail server says nothing is given up when it is closed', async (t) => {
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const { mailing } = await begin(t, { onMailFrom: () => resolve(), closeTimeout: 100 })
  const sent = mailing.send(MAIL)
  await reached
  mailing.close()
  assert.equal(await sent, undefined)
})

test('without SMTP_URL an e-mail fails and says so', async () => {
  const mailing = openMailing({ SMTP_URL: undefined, SMTP_FROM: undefined })
  const { delivered, detail } = (await mailing.send(MAIL))!
  assert.equal(delivered, false)
  assert.match(detail!, /SMTP_URL/)
})
