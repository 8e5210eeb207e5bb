import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { COMMAND, RESPONSE, STATUS } from './codec/commands.ts'
import { openFrames } from './codec/frames.ts'
import { text } from './codec/octets.ts'
import { type Pdu, readPdu, writePdu } from './codec/pdus.ts'
import { type Requests, serveConnection } from './connection.ts'
import { testedClient } from '../../../../../../scripts/tested-clients.ts'

const RESPONSE_OF = (command: number) => (command | RESPONSE) >>> 0

/** A program on a connection with a stopped clock, whose requests are answered once `release` is called. */
function open(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const [server, program] = duplexPair()
  const pending: (() => void)[] = []
  const requests: Requests = new Map([
    [COMMAND.submit_sm, () => new Promise((resolve) => pending.push(() => resolve(text('id'))))],
  ])
  const caller = { api_key_id: 1 } as never
  const connection = serveConnection(
    {
      log: pino({ level: 'silent' }),
      binds: { bind: async () => ({ caller, transmits: true, ready() {}, leave() {} }) },
      requests,
    },
    server,
    '127.0.0.1',
  )
  const frames = openFrames()
  const heard: Pdu[] = []
  program.on('data', (chunk: Buffer) => {
    for (const frame of frames.push(chunk)) heard.push(readPdu(frame))
  })
  const say = async (command: number, sequence = 1, body = Buffer.alloc(0)) => {
    program.write(writePdu({ command, status: 0, sequence, body }))
    await settle()
  }
  return {
    server,
    program,
    heard,
    say,
    connection,
    release: () => pending.splice(0).forEach((go) => go()),
    bind: () =>
      say(
        COMMAND.bind_transceiver,
        1,
        Buffer.concat([text('shop'), text('key'), text(''), Buffer.of(0x34, 0, 0, 0)]),
      ),
    /** What the server has said since the last time. */
    news: () => heard.splice(0).map(({ command, status }) => [command, status]),
    async pass(ms: number) {
      t.mock.timers.tick(ms)
      await settle()
    },
  }
}

async function settle() {
  for (let turns = 0; turns < 5; turns++) await turn()
}

test('a program has 5 s to bind itself', async (t) => {
  const { server, pass } = open(t)
  await pass(4_999)
  assert.equal(server.destroyed, false)
  await pass(1)
  assert.equal(server.destroyed, true)
})

test('after 60 s of silence the server asks, and hangs up if there is no answer in 30 s', async (t) => {
  const { server, bind, say, news, pass } = open(t)
  await bind()
  news()
  await pass(59_000)
  await say(COMMAND.enquire_link)
  assert.deepEqual(news(), [[RESPONSE_OF(COMMAND.enquire_link), STATUS.ok]])
  await pass(60_000)
  assert.deepEqual(news(), [[COMMAND.enquire_link, 0]])
  await pass(29_000)
  await say(RESPONSE_OF(COMMAND.enquire_link))
  await pass(60_000)
  assert.deepEqual(news(), [[COMMAND.enquire_link, 0]])
  await pass(29_999)
  assert.equal(server.destroyed, false)
  await pass(1)
  assert.equal(server.destroyed, true)
})

test('beyond 100 requests without an answer, a program is throttled, and nothing of them is lost', async (t) => {
  testedClient(t, {
    door: 'SMPP',
    client: 'octets',
    tried: 'a window overrun: more than 100 requests without an answer',
  })
  const { bind, say, news, release } = open(t)
  await bind()
  news()
  for (let n = 1; n <= 101; n++) await say(COMMAND.submit_sm, n)
  assert.deepEqual(news(), [[RESPONSE_OF(COMMAND.submit_sm), STATUS.throttled]])
  release()
  await settle()
  assert.deepEqual(news(), Array(100).fill([RESPONSE_OF(COMMAND.submit_sm), STATUS.ok]))
  await say(COMMAND.submit_sm, 102)
  release()
  await settle()
  assert.deepEqual(news(), [[RESPONSE_OF(COMMAND.submit_sm), STATUS.ok]])
})

test('the server unbinds a program after it answered all that it took', async (t) => {
  const { bind, say, news, release, connection, server, pass } = open(t)
  await bind()
  await say(COMMAND.submit_sm)
  news()
  const gone = connection.unbind()
  await say(COMMAND.submit_sm)
  assert.deepEqual(news(), [[RESPONSE_OF(COMMAND.submit_sm), STATUS.system_error]])
  release()
  await settle()
  assert.deepEqual(news(), [
    [RESPONSE_OF(COMMAND.submit_sm), STATUS.ok],
    [COMMAND.unbind, STATUS.ok],
  ])
  // A program that does not agree is cut off.
  await pass(2_000)
  assert.equal(server.destroyed, true)
  await gone
})

test('a PDU that comes octet by octet is taken', async (t) => {
  testedClient(t, { door: 'SMPP', client: 'octets', tried: 'a PDU octet by octet' })
  const { bind, program, news } = open(t)
  await bind()
  news()
  const pdu = writePdu({ command: COMMAND.enquire_link, status: 0, sequence: 7, body: Buffer.alloc(0) })
  for (const octet of pdu) {
    assert.deepEqual(news(), [])
    program.write(Buffer.of(octet))
    await settle()
  }
  assert.deepEqual(news(), [[RESPONSE_OF(COMMAND.enquire_link), STATUS.ok]])
})

test('a program that does not read its answers is not read either, and gets all of them once it does', async (t) => {
  testedClient(t, { door: 'SMPP', client: 'octets', tried: 'a slow client, which does not read its answers' })
  const { bind, program, server, news } = open(t)
  await bind()
  news()
  program.pause()
  const [chunks, each] = [300, 100]
  const one = writePdu({ command: COMMAND.enquire_link, status: 0, sequence: 1, body: Buffer.alloc(0) })
  const chunk = Buffer.concat(Array<Buffer>(each).fill(one))
  for (let n = 0; n < chunks; n++) {
    program.write(chunk)
    await turn()
  }
  await settle()
  assert.equal(server.isPaused(), true)
  assert.ok(server.writableLength < 2 * server.writableHighWaterMark, `${server.writableLength} octets wait`)
  program.resume()
  let answers = 0
  while (answers < chunks * each) {
    await settle()
    answers += news().length
  }
  assert.equal(answers, chunks * each)
})
