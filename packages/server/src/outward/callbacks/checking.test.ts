import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { A, startNameServer } from '#test/name-server.ts'
import { LOOK_UPS, openAddresses, openUrlCheck } from './addresses.ts'
import { openResolving } from './resolving.ts'

/** As many tasks as one batch may have. */
const BATCH = 1_000
/** For one company, with two URLs for each name. */
const MOST_QUESTIONS = 2 * LOOK_UPS.each

const PUBLIC = Buffer.from([1, 2, 3, 4])
const PRIVATE = Buffer.from([10, 0, 0, 1])

/** The address checks of a server, with a slow name server that never answers for `.silent` names. */
async function checks(t: TestContext) {
  const names = await startNameServer(t, {
    records: (name) => ({ [A]: name.startsWith('inside') ? PRIVATE : PUBLIC }),
    silent: (name) => name.endsWith('.silent'),
    takes_ms: 2,
  })
  const addresses = openAddresses({ CALLBACK_ADDRESSES: 'public' }, openResolving([names.address]))
  const batch = (company: number, name: (n: number) => string, length = BATCH) => {
    const check = openUrlCheck({ addresses }, company)
    return Promise.all(Array.from({ length }, (_, n) => check(`https://${name(n)}/${n}`)))
  }
  const lookUp = (name: string) => addresses.of(new URL(`https://${name}`), 5)
  return { names, batch, lookUp }
}

const refusedOf = (batch: (string | undefined)[]) => batch.filter((why) => why !== undefined).length

test('a batch with a thousand names looks few of them up at once', async (t) => {
  const { names, batch } = await checks(t)
  const whys = await batch(1, (n) => `${n % 2 ? 'inside' : 'shop'}-${n}.example`)
  assert.equal(refusedOf(whys), BATCH / 2)
  assert.equal(new Set(names.asked).size, BATCH)
  assert.ok(names.most() <= MOST_QUESTIONS, `${names.most()} questions at once`)
})

test('simultaneous requests of one company look up no more names at once than one request, and each name once', async (t) => {
  const { names, batch } = await checks(t)
  await Promise.all(Array.from({ length: 100 }, (_, n) => batch(1, () => `shop-${n % 50}.example`, 1)))
  assert.equal(names.asked.length, 2 * 50)
  assert.ok(names.most() <= MOST_QUESTIONS, `${names.most()} questions at once`)
})

test('a batch with names that no server resolves ends before the look-up of one, and delays no other company', async (t) => {
  const { names, batch, lookUp } = await checks(t)
  const alive = setInterval(() => {}, 1_000)
  t.after(() => clearInterval(alive))
  const slow = batch(1, (n) => `hook-${n}.silent`)
  const ended: string[] = []
  const one = lookUp('one.silent').then(() => ended.push('one'))
  void slow.then(() => ended.push('slow'))
  const others = [2, 3, 4].map((company) => batch(company, (n) => `inside-${company}-${n}.example`, 100))
  for (const whys of await Promise.all(others)) assert.equal(refusedOf(whys), 100)
  assert.deepEqual(ended, [])
  assert.equal(refusedOf(await slow), 0)
  await one
  assert.deepEqual(ended, ['slow', 'one'])
  const silent = new Set(names.asked.filter((name) => name.endsWith('.silent')))
  assert.ok(silent.size < BATCH / 2, `${silent.size} names were asked for`)
})
