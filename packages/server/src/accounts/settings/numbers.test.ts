import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import type { Country } from '@sdd/contract/core/countries.ts'
import { pino } from 'pino'
import type { Peers } from '#server/core/replicas/replicas.ts'
import { openNumbers } from './numbers.ts'

const COMPANY = 1

const rowOf = (default_country: Country) =>
  ({ company_id: COMPANY, default_country, sending_hours: null, send_enabled: 1 }) as const

/** The numbers of one server, which has read ES. The test answers each further read. */
async function begin() {
  const reads: PromiseWithResolvers<object[]>[] = []
  const rows = () => {
    const read = Promise.withResolvers<object[]>()
    reads.push(read)
    return read.promise
  }
  let [hear, miss]: (() => void)[] = []
  const peers: Peers = {
    tell() {},
    hear: (ears) => (hear = () => ears.settings!(COMPANY)),
    missed: (again) => (miss = again),
  }
  const opening = openNumbers({ db: { read: { rows } as never }, peers, log: pino({ level: 'silent' }) })
  reads.shift()!.resolve([rowOf('ES')])
  const numbers = await opening
  return {
    hear: () => hear!(),
    miss: () => miss!(),
    save: (country: Country) => numbers.changing(COMPANY, async () => ({ rules: rowOf(country) })),
    /** Answers the oldest read, which returns the country afterwards. */
    async read(country: Country) {
      reads.shift()!.resolve([rowOf(country)])
      await nextTurn()
      return numbers.country(COMPANY)
    },
  }
}

test('a country that another server has saved is read from its row', async () => {
  const { hear, read } = await begin()
  hear()
  assert.equal(await read('FR'), 'FR')
})

test('a read about a change of another server takes no country that this server has changed since', async () => {
  const { hear, save, read } = await begin()
  hear()
  await save('FR')
  assert.equal(await read('ES'), 'FR')
  assert.equal(await read('FR'), 'FR')
})

test('a read of missed changes takes no country that has changed since', async () => {
  const { miss, hear, save, read } = await begin()
  miss()
  await save('FR')
  assert.equal(await read('ES'), 'FR')
  assert.equal(await read('FR'), 'FR')
  miss()
  hear()
  assert.equal(await read('FR'), 'FR')
  assert.equal(await read('PT'), 'PT')
})

test('a country that another server saved right after this one is known, although this one is told first', async () => {
  const { hear, save, read } = await begin()
  hear()
  assert.equal(await read('PT'), 'PT')
  await save('FR')
  assert.equal(await read('PT'), 'PT')
})
