import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { A, AAAA, startNameServer } from '#test/name-server.ts'
import { openResolving } from './resolving.ts'

const COMPANY = 1
const IPV4 = Buffer.from([1, 2, 3, 4])
const IPV6 = Buffer.from('26064700000000000000000000000001', 'hex')

const records: Record<string, Partial<Record<number, Buffer>>> = {
  'both.example': { [A]: IPV4, [AAAA]: IPV6 },
  'old.example': { [A]: IPV4 },
  'new.example': { [AAAA]: IPV6 },
}

async function resolving(t: TestContext) {
  const silent = (name: string) => name === 'slow.example'
  const { address, asked } = await startNameServer(t, { records: (name) => records[name], silent })
  return { resolve: openResolving([address]), asked }
}

test('a name has the addresses of both families that DNS knows', async (t) => {
  const { resolve } = await resolving(t)
  assert.deepEqual(await resolve('both.example', COMPANY), ['1.2.3.4', '2606:4700::1'])
  assert.deepEqual(await resolve('old.example', COMPANY), ['1.2.3.4'])
  assert.deepEqual(await resolve('new.example', COMPANY), ['2606:4700::1'])
})

test('a name that DNS does not know is looked up by the system', async (t) => {
  const { resolve } = await resolving(t)
  assert.ok((await resolve('localhost', COMPANY)).includes('127.0.0.1'))
  await assert.rejects(resolve('nobody.invalid', COMPANY))
})

test('a silent name server delays no other name, and the system does not look the name up after it', async (t) => {
  const { resolve, asked } = await resolving(t)
  const slow = Array.from({ length: 20 }, (_, company) => resolve('slow.example', company))
  const ended = Promise.allSettled(slow)
  assert.deepEqual(await resolve('old.example', COMPANY), ['1.2.3.4'])
  assert.ok(asked.includes('slow.example'))
  const reasons = (await ended).map(
    (one) => one.status === 'rejected' && (one.reason as { code: string }).code,
  )
  assert.deepEqual(new Set(reasons), new Set(['ETIMEOUT']))
})

test('simultaneous queries for a name share one answer, whatever the company', async (t) => {
  const { resolve, asked } = await resolving(t)
  const found = await Promise.all(Array.from({ length: 50 }, (_, company) => resolve('old.example', company)))
  assert.deepEqual(new Set(found.flat()), new Set(['1.2.3.4']))
  assert.deepEqual(asked, ['old.example', 'old.example'])
})
