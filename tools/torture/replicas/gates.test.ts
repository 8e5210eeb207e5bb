import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openGates } from './gates.ts'

const gates = openGates()
after(() => gates.stop())

/** Echoes its input after its name. */
async function startEcho(name: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => socket.write(`${name}:${bytes.toString()} `))
  }).listen(0, '127.0.0.1')
  after(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function enter(port: number): Promise<{ socket: Socket; heard(): string; ended: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.setEncoding('utf8').on('data', (text) => (heard += text))
  socket.on('error', () => {})
  const ended = new Promise((resolve) => socket.once('close', resolve))
  // A connection that is cut at once may never appear open.
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), ended])
  return { socket, heard: () => heard, ended }
}

const WITHIN_MS = 20_000

async function until(look: () => boolean): Promise<void> {
  const end = performance.now() + WITHIN_MS
  while (!look() && performance.now() < end) await wait(5)
  assert.ok(look(), `Nothing came of ${look.toString()}`)
}

test('a held gate passes its data on later, and none before', async () => {
  const gate = await gates.open(await startEcho('a'))
  const { socket, heard } = await enter(gate.port)
  socket.write('1')
  await until(() => heard() === 'a:1 ')
  gate.set('held')
  // Messages to the thread arrive in order: a second connection shows when the first is barred.
  const later = await enter(gate.port)
  later.socket.write('x')
  socket.write('2')
  await wait(200)
  assert.equal(heard() + later.heard(), 'a:1 ')
  gate.set('open')
  await until(() => heard() === 'a:1 a:2 ' && later.heard() === 'a:x ')
  socket.destroy()
  later.socket.destroy()
})

test('if a gate is cut, open and new connections end until it is open again', async () => {
  const gate = await gates.open(await startEcho('a'))
  const before = await enter(gate.port)
  before.socket.write('1')
  await until(() => before.heard() !== '')
  gate.set('cut')
  await before.ended
  const meanwhile = await enter(gate.port)
  await meanwhile.ended
  gate.set('open')
  // The thread may hear of a connection before it hears that it is open.
  for (let served = false; !served;) {
    const { socket, heard, ended } = await enter(gate.port)
    socket.write('2')
    let over = false
    void ended.then(() => (over = true))
    await until(() => over || heard() === 'a:2 ')
    served = heard() === 'a:2 '
    socket.destroy()
  }
})

test('of several connections, those that began with a word are barred', async () => {
  const gate = await gates.open(await startEcho('a'))
  const [one, other] = [await enter(gate.port), await enter(gate.port)]
  one.socket.write('channel')
  other.socket.write('line')
  await until(() => one.heard() !== '' && other.heard() !== '')
  gate.bar('channel', 'cut')
  await one.ended
  other.socket.write('!')
  await until(() => other.heard() === 'a:line a:! ')
  other.socket.destroy()
})

test('a connection goes to the target with the fewest connections, and never to one that refuses', async () => {
  const [a, b] = [await startEcho('a'), await startEcho('b')]
  const gate = await gates.open(1, a)
  gate.lead([1, a, b])
  const ways = []
  for (let n = 0; n < 4; n++) {
    const way = await enter(gate.port)
    way.socket.write('?')
    await until(() => way.heard() !== '')
    ways.push(way)
  }
  assert.deepEqual(ways.map((way) => way.heard()).sort(), ['a:? ', 'a:? ', 'b:? ', 'b:? '])
  for (const { socket } of ways) socket.destroy()
})
