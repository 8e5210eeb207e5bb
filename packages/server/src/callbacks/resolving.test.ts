import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { openResolving } from './resolving.ts'

const A = 1
const AAAA = 28

/** A name server that knows these names; to what it is silent about it never answers. */
async function nameServer(
  t: TestContext,
  records: Record<string, Partial<Record<number, Buffer>>>,
  silent = '',
) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    asked.push(name)
    if (name === silent) return
    const found = records[name]?.[type]
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(records[name] ? 0x8180 : 0x8183, 2) // NOERROR or NXDOMAIN
    head.writeUInt16BE(found ? 1 : 0, 6)
    head.fill(0, 8)
    const answer = found ? [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, found.length]), found] : []
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answer]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { asked, resolve: openResolving([`127.0.0.1:${socket.address().port}`]) }
}

/** RFC 1035, section 4.1.2. */
function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (; query[at] !== 0; at += query[at]! + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const IPV4 = Buffer.from([1, 2, 3, 4])
const IPV6 = Buffer.from('26064700000000000000000000000001', 'hex')

test('a name has the addresses of both families that DNS knows', async (t) => {
  const { resolve } = await nameServer(t, {
    'both.example': { [A]: IPV4, [AAAA]: IPV6 },
    'old.example': { [A]: IPV4 },
    'new.example': { [AAAA]: IPV6 },
  })
  assert.deepEqual(await resolve('both.example'), ['1.2.3.4', '2606:4700::1'])
  assert.deepEqual(await resolve('old.example'), ['1.2.3.4'])
  assert.deepEqual(await resolve('new.example'), ['2606:4700::1'])
})

test('a name that DNS does not know is looked up as the system does', async (t) => {
  const { resolve } = await nameServer(t, {})
  assert.ok((await resolve('localhost')).includes('127.0.0.1'))
  await assert.rejects(resolve('nobody.invalid'))
})

test('a name server that does not answer holds up no other name, and nothing looks the name up after it', async (t) => {
  const { resolve, asked } = await nameServer(t, { 'quick.example': { [A]: IPV4 } }, 'slow.example')
  const slow = Array.from({ length: 20 }, () => resolve('slow.example'))
  const ended = Promise.allSettled(slow)
  assert.deepEqual(await resolve('quick.example'), ['1.2.3.4'])
  assert.ok(asked.includes('slow.example'))
  const reasons = (await ended).map(
    (one) => one.status === 'rejected' && (one.reason as { code: string }).code,
  )
  assert.deepEqual(new Set(reasons), new Set(['ETIMEOUT']))
})
