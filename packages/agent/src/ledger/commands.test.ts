import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBench } from '#test/ledgers.ts'
import { Unwritable } from './file.ts'

const command = (guid: string, fields: object = {}) =>
  ({ type: 'send', guid, attempt: 1, to: '+34600111222', text: 'Hola', ...fields }) as const

test('a command is accepted once and never waits for the radio twice', () => {
  const { commands, now, outgoing } = openBench()
  assert.equal(commands.see(command('g1'), now()), 'new')
  assert.equal(commands.see(command('g1'), now()), 'known')
  assert.equal(commands.waiting(), 1)
  assert.deepEqual(outgoing(), ['g1 accepted'])
})

test('a repeated command whose reports were committed repeats the latest report', () => {
  const { commands, outbox, sent, now, outgoing } = openBench()
  sent('g1', ['7'])
  outbox.committed(outbox.after(0, 10).map(({ n }) => n))
  assert.equal(commands.see(command('g1', { text: 'other' }), now()), 'known')
  assert.deepEqual(outgoing(), ['g1 sent'])
  assert.equal(commands.next(), undefined)
})

test('another attempt of the same guid is another message', () => {
  const { commands, onAir, now, outgoing } = openBench()
  const first = onAir('g1')
  commands.end(first, { state: 'failed', code: 'no_network', detail: 'none', block: false, parts: 0 }, now())
  assert.equal(commands.see(command('g1', { attempt: 2 }), now()), 'new')
  assert.equal(commands.next()?.attempt, 2)
  assert.deepEqual(outgoing(), ['g1 accepted', 'g1 failed', 'g1 accepted'])
})

test('messages go out in the order in which they arrived', () => {
  const { commands, onAir, now } = openBench()
  for (const guid of ['g2', 'g1', 'g3']) commands.see(command(guid), now())
  assert.equal(onAir('g4').guid, 'g2')
  assert.equal(commands.next()?.guid, 'g1')
})

test('a waiting message can be cancelled, and is not sent if its command arrives again', () => {
  const { commands, now, reports } = openBench()
  commands.see(command('g1'), now())
  assert.equal(commands.cancel('g1', now()), 'cancelled')
  assert.equal(reports().at(-1)?.code, 'cancelled')
  assert.equal(commands.see(command('g1', { attempt: 2 }), now()), 'forbidden')
  assert.equal(commands.next(), undefined)
})

test('a cancel that arrives before its command prevents it from being sent', () => {
  const { commands, now, reports } = openBench()
  assert.equal(commands.cancel('g1', now()), 'never seen')
  assert.equal(commands.see(command('g1', { attempt: 3 }), now()), 'forbidden')
  assert.deepEqual(
    reports().map(({ attempt, code }) => [attempt, code]),
    [
      [1, 'cancelled'],
      [3, 'cancelled'],
    ],
  )
})

test('a message on air cannot be cancelled, and a cancelled message does not go on air', () => {
  const { commands, onAir, now, outgoing } = openBench()
  onAir('g1')
  assert.equal(commands.cancel('g1', now()), 'too late')
  commands.see(command('g2'), now())
  const entry = commands.next()!
  commands.cancel('g2', now())
  assert.equal(commands.beginSending(entry, now()), false)
  commands.end(entry, { state: 'failed', code: 'modem_error', detail: '', block: false, parts: 0 }, now())
  assert.deepEqual(outgoing(), ['g1 accepted', 'g2 accepted', 'g2 failed'])
})

test('a message that expires while it waits fails as expired', () => {
  const { commands, now, pass, reports } = openBench()
  commands.see(command('g1', { expires_at: '2026-03-01T12:01:00.000Z' }), now())
  commands.see(command('g2'), now())
  assert.deepEqual(commands.expire(now()), [])
  pass(60_000)
  assert.deepEqual(
    commands.expire(now()).map(({ guid }) => guid),
    ['g1'],
  )
  assert.deepEqual(reports().at(-1), {
    guid: 'g1',
    attempt: 1,
    state: 'failed',
    at: '2026-03-01T12:01:00.000Z',
    code: 'expired',
    detail: 'It waited for the radio until it expired at 2026-03-01T12:01:00.000Z',
    block: false,
    parts: 0,
  })
  assert.equal(commands.next()?.guid, 'g2')
})

test('a message that has expired does not go on air', () => {
  const { commands, now, pass, outgoing } = openBench()
  const expires_at = '2026-03-01T12:01:00.000Z'
  for (const guid of ['g1', 'g2']) commands.see(command(guid, { expires_at }), now())
  pass(59_999)
  assert.equal(commands.beginSending(commands.next()!, now()), true)
  pass(1)
  assert.equal(commands.beginSending(commands.next()!, now()), false)
  commands.expire(now())
  assert.deepEqual(outgoing(), ['g1 accepted', 'g2 accepted', 'g2 failed'])
})

test('a partly sent message does not get a code that lets the server resend it through another device', () => {
  const { commands, onAir, now, reports } = openBench()
  const entry = onAir('g1')
  commands.partSent(entry, { n: 1, of: 3, reference: '1' }, now())
  commands.end(
    entry,
    { state: 'failed', code: 'no_network', detail: 'CMS 331', block: false, parts: 1 },
    now(),
  )
  const { code, detail, parts } = reports().at(-1)!
  assert.deepEqual(
    { code, detail, parts },
    {
      code: 'partly_sent',
      detail: '1 of 3 parts went out, then: CMS 331',
      parts: 1,
    },
  )
})

test('with too little disk space nothing new is accepted or goes on air; other work continues', () => {
  const bench = openBench()
  const { commands, onAir, now } = bench
  const entry = onAir('g1')
  commands.see(command('g2'), now())
  bench.room = 1_000
  assert.throws(() => commands.see(command('g3'), now()), Unwritable)
  assert.throws(() => commands.beginSending(commands.next()!, now()), Unwritable)
  assert.equal(commands.see(command('g2'), now()), 'known')
  commands.end(entry, { state: 'sent', parts: 1 }, now())
  bench.room = 1e9
  assert.equal(commands.see(command('g3'), now()), 'new')
})

test('a write that fails on disk changes nothing', () => {
  const { commands, file, now, outgoing } = openBench()
  const { page_count } = file.db.prepare('pragma page_count').get() as { page_count: number }
  file.db.exec(`pragma max_page_count = ${page_count}`)
  const text = 'x'.repeat(20_000)
  assert.throws(() => commands.see(command('g1', { text }), now()), Unwritable)
  assert.deepEqual([commands.waiting(), outgoing()], [0, []])
  file.db.exec('pragma max_page_count = 100000')
  assert.equal(commands.see(command('g1', { text }), now()), 'new')
})

test('old messages are deleted, but none that the server may still ask for', () => {
  const { commands, outbox, sent, pass, clean, now } = openBench()
  sent('done', ['1'])
  outbox.committed(outbox.after(0, 10).map(({ n }) => n))
  sent('unreported', ['2'])
  commands.see(command('waiting'), now())
  const later = commands.see(command('long-lived', { expires_at: '2027-01-01T00:00:00.000Z' }), now())
  assert.equal(later, 'new')
  pass(31 * 86_400_000)
  clean()
  assert.deepEqual(
    ['done', 'unreported', 'waiting', 'long-lived'].map((guid) => commands.see(command(guid), now())),
    ['new', 'known', 'known', 'known'],
  )
})

test('a command keeps the SIM that it names', () => {
  const { commands, now } = openBench()
  commands.see(command('g1', { iccid: '8934561100000000011', from: '+34600000001' }), now())
  const { iccid, from } = commands.next()!
  assert.deepEqual([iccid, from], ['8934561100000000011', '+34600000001'])
})
