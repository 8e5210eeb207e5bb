import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HASHING, openHashing } from './hashing.ts'

/** A gate whose jobs end when the test says so. */
function openGate() {
  const hashing = openHashing()
  const under_way = new Map<string, () => void>()
  const began: string[] = []
  const ended: string[] = []
  return {
    began,
    ended,
    underWay: () => [...under_way.keys()],
    ask(name: string, address: string, user = name): Promise<string> {
      const work = async () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        under_way.set(name, resolve)
        began.push(name)
        await promise
        under_way.delete(name)
        ended.push(name)
      }
      return hashing.inTurn({ user, address }, work).then(
        () => 'done',
        ({ code, retry_after_secs }) => `${code} ${retry_after_secs}`,
      )
    },
    async end(name: string, asked: Promise<unknown>) {
      under_way.get(name)!()
      await asked
    },
    /** Ends running jobs until none is left. */
    async endAll() {
      while (under_way.size > 0) {
        for (const end of under_way.values()) end()
        await new Promise(setImmediate)
      }
    },
  }
}

/** The jobs that were refused at once. */
async function refused(asked: readonly Promise<string>[]): Promise<number> {
  const answers = await Promise.all(asked.map((one) => Promise.race([one, new Promise(setImmediate)])))
  return answers.filter((answer) => answer === 'busy 1').length
}

test('two passwords are hashed at once, and the next one when either is done', async () => {
  const gate = openGate()
  const asked = ['a', 'b', 'c'].map((name, n) => gate.ask(name, `192.0.2.${n}`))
  assert.deepEqual(gate.underWay(), ['a', 'b'])
  await gate.end('b', asked[1]!)
  assert.deepEqual(gate.underWay(), ['a', 'c'])
  await gate.endAll()
  assert.deepEqual(await Promise.all(asked), ['done', 'done', 'done'])
})

test('an address has one password hashed at a time and eight queued; the next is refused with a time to retry', async () => {
  const gate = openGate()
  const asked = Array.from({ length: 12 }, (_, n) => gate.ask(`user ${n}`, '192.0.2.1'))
  assert.deepEqual(gate.underWay(), ['user 0'])
  assert.equal(await refused(asked), 12 - 1 - HASHING.waiting_each)
  await gate.endAll()
  assert.deepEqual(gate.ended, [
    'user 0',
    'user 1',
    'user 2',
    'user 3',
    'user 4',
    'user 5',
    'user 6',
    'user 7',
    'user 8',
  ])
})

test('a whole IPv6 /64 counts as one address', async () => {
  const gate = openGate()
  const asked = Array.from({ length: 12 }, (_, n) => gate.ask(`user ${n}`, `2001:db8:1:2::${n}`))
  assert.deepEqual(gate.underWay(), ['user 0'])
  assert.equal(await refused(asked), 3)
  await gate.endAll()
})

test('a user has one password hashed at a time, whatever the address', async () => {
  const gate = openGate()
  const asked = Array.from({ length: 12 }, (_, n) => gate.ask(`${n}`, `192.0.${n}.1`, 'ana'))
  assert.deepEqual(gate.underWay(), ['0'])
  assert.equal(await refused(asked), 3)
  await gate.endAll()
})

test('a job that fails frees its place for the next', async () => {
  const hashing = openHashing()
  const asker = { user: 'ana', address: '192.0.2.1' }
  const failing = hashing.inTurn(asker, () => Promise.reject(new Error('the disk is full')))
  const next = hashing.inTurn(asker, () => Promise.resolve('next'))
  await assert.rejects(failing, /the disk is full/)
  assert.equal(await next, 'next')
})

for (const [kind, address] of Object.entries({
  'one /48': (n: number) => `2001:db8:1:${n.toString(16)}::1`,
  'one provider': (n: number) => `2001:db8:${n.toString(16)}::1`,
  'one IPv4 network': (n: number) => `203.0.${n >> 3}.${n & 7}`,
})) {
  test(`a flood from many addresses of ${kind} delays other networks by one turn`, async () => {
    const gate = openGate()
    const flood = Array.from({ length: 200 }, (_, n) => gate.ask(`flood ${n}`, address(n)))
    assert.equal(await refused(flood), 200 - HASHING.at_once - HASHING.waiting)
    const ana = gate.ask('ana', '198.51.100.7')
    assert.equal(await refused(flood), 200 - HASHING.at_once - HASHING.waiting + 1, 'the flood makes room')
    await gate.end('flood 0', flood[0]!)
    assert.ok(gate.underWay().includes('ana'))
    await gate.endAll()
    assert.equal(await ana, 'done')
  })
}

test('if each network has one job queued, the newest job is refused', async () => {
  const gate = openGate()
  const many = HASHING.at_once + HASHING.waiting
  const asked = Array.from({ length: many }, (_, n) => gate.ask(`${n}`, `10.${n}.0.1`))
  assert.equal(await refused(asked), 0)
  assert.equal(await gate.ask('late', '10.99.0.1'), 'busy 1')
  await gate.endAll()
  assert.equal(gate.ended.length, many)
})
