import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBench } from '#test/ledgers.ts'
import { openTime } from '#test/time.ts'
import type { Connection } from './connection.ts'
import { nextBatch, openOutbox } from './outbox.ts'
import { openDiskRetry } from './disk-retry.ts'

type Publication = { topic: string; payload: string; puback: () => void }

function openPost(acks: 'puback' | 'command' = 'puback') {
  const bench = openBench()
  const time = openTime()
  const publications: Publication[] = []
  const diskRetry = openDiskRetry({ clock: time, say: () => undefined })
  const outbox = openOutbox({ uid: 'd1', acks, rows: bench.outbox, diskRetry, clock: time })
  const connection: Connection = {
    opened: Promise.resolve(),
    leave: () => Promise.resolve(),
    publish(topic, payload) {
      const { promise, resolve } = Promise.withResolvers<void>()
      publications.push({ topic, payload, puback: resolve })
      return promise
    },
  }
  /** A short form of each publication. */
  const told = (): string[][] =>
    publications.map(({ payload }) =>
      [JSON.parse(payload) as { guid: string; state: string } | { guid: string; state: string }[]]
        .flat()
        .map(({ guid, state }) => (guid ? `${guid} ${state}` : 'sms')),
    )
  const sms = (id: string) => bench.inbox.receive({ id, from: '1', text: id, at: bench.now() }, bench.now())
  return { ...bench, rows: bench.outbox, time, publications, outbox, connection, told, sms }
}

test('waiting items go out in one publication, and are deleted at the PUBACK', async () => {
  const { sent, outbox, connection, publications, told, outgoing, time } = openPost()
  sent('g1', ['1'])
  sent('g2', ['2'])
  outbox.opened(connection)
  assert.deepEqual(told(), [['g1 accepted', 'g1 sent', 'g2 accepted', 'g2 sent']])
  assert.equal(outgoing().length, 4)
  publications[0]!.puback()
  await time.pass(0)
  assert.deepEqual(outgoing(), [])
})

test('only one publication is in flight at a time, so that reports keep their order', async () => {
  const { sent, outbox, connection, publications, told, time } = openPost()
  outbox.opened(connection)
  sent('g1', ['1'])
  outbox.look()
  sent('g2', ['2'])
  outbox.look()
  assert.equal(publications.length, 1)
  publications[0]!.puback()
  await time.pass(0)
  assert.deepEqual(told(), [
    ['g1 accepted', 'g1 sent'],
    ['g2 accepted', 'g2 sent'],
  ])
})

test('received SMS are published one by one, and reports do not wait for their PUBACKs', async () => {
  const { sent, sms, outbox, connection, publications, told, outgoing, time } = openPost()
  for (const id of ['s1', 's2', 's3', 's4', 's5']) sms(id)
  outbox.opened(connection)
  assert.deepEqual(told(), [['sms']])
  sent('g1', ['1'])
  outbox.look()
  assert.deepEqual(told(), [['sms'], ['g1 accepted', 'g1 sent']])
  publications[1]!.puback()
  await time.pass(0)
  assert.equal(publications.length, 2)
  for (const i of [0, 2, 3, 4, 5]) {
    publications[i]!.puback()
    await time.pass(0)
  }
  assert.deepEqual(
    publications.map(({ topic }) => topic.split('/')[2]),
    ['inbox', 'reports', 'inbox', 'inbox', 'inbox', 'inbox'],
  )
  assert.deepEqual(outgoing(), [])
})

test('items without a PUBACK are published again on the next connection', async () => {
  const { sent, outbox, connection, publications, told, outgoing, time } = openPost()
  sent('g1', ['1'])
  outbox.opened(connection)
  outbox.closed()
  sent('g2', ['2'])
  outbox.look()
  outbox.opened(connection)
  assert.deepEqual(told()[1], ['g1 accepted', 'g1 sent', 'g2 accepted', 'g2 sent'])
  publications[1]!.puback()
  await time.pass(0)
  assert.deepEqual(outgoing(), [])
})

test('with an external broker all items wait for the ack commands, and are published again after 30 s', async () => {
  const { sent, sms, outbox, connection, publications, told, outgoing, time, rows } = openPost('command')
  sent('g1', ['1'])
  sms('s1')
  sms('s2')
  outbox.opened(connection)
  for (let i = 0; i < 3; i++) {
    publications[i]!.puback()
    await time.pass(0)
  }
  await time.pass(20_000)
  assert.deepEqual(told(), [['g1 accepted', 'g1 sent'], ['sms'], ['sms']])
  assert.equal(outgoing().length, 4)
  rows.committedReport({ guid: 'g1', attempt: 1, state: 'accepted' })
  rows.committedSms('s1')
  await time.pass(15_000)
  publications[3]!.puback()
  await time.pass(0)
  assert.deepEqual(told().slice(3), [['g1 sent'], ['sms']])
  assert.match(publications[4]!.payload, /s2/)
  rows.committedReport({ guid: 'g1', attempt: 1, state: 'sent' })
  rows.committedSms('s2')
  publications[4]!.puback()
  await time.pass(120_000)
  assert.equal(publications.length, 5)
})

test('a payload has at most 100 reports and 64 KiB', () => {
  const row = (n: number, bytes: number) => ({ n, kind: 'report' as const, payload: 'x'.repeat(bytes) })
  assert.equal(nextBatch(Array.from({ length: 300 }, (_, n) => row(n, 100))).length, 100)
  assert.equal(nextBatch(Array.from({ length: 50 }, (_, n) => row(n, 6_000))).length, 10)
  assert.equal(nextBatch([row(1, 60_000), row(2, 6_000)]).length, 1)
})

test('`emptied` settles when the outbox is empty, or when there is no connection', async () => {
  const { sent, outbox, connection, publications, time } = openPost()
  await time.until(outbox.emptied())
  sent('g1', ['1'])
  outbox.opened(connection)
  let empty = false
  const emptied = outbox.emptied().then(() => (empty = true))
  await time.pass(1_000)
  assert.equal(empty, false)
  publications[0]!.puback()
  await time.until(emptied)
})
