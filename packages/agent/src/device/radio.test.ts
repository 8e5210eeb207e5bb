import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome, Outgoing, SendProgress } from '#agent/driver.ts'
import { openLedgerFile, Unwritable } from '#agent/ledger/file.ts'
import { ledgerIn } from '#agent/ledger/ledger.ts'
import { openTime } from '#test/time.ts'
import { openDiskRetry } from './disk-retry.ts'
import { startRadio } from './radio.ts'

type Sending = { message: Outgoing; progress: SendProgress; end: (outcome: Outcome) => void }

/** A radio on an in-memory ledger; the test plays its driver. */
function openStudio() {
  const time = openTime()
  const disk = { room: 1e9 }
  const file = openLedgerFile(':memory:', () => disk.room)
  const { commands, outbox } = ledgerIn(file).device('d1')
  const said: string[] = []
  const sending: Sending[] = []
  const air = { ready: true }
  const now = (): string => new Date(time.now()).toISOString()
  const radio = startRadio({
    commands,
    driver: {
      send(message, progress) {
        const { promise, resolve } = Promise.withResolvers<Outcome>()
        sending.push({ message, progress, end: resolve })
        return promise
      },
      radio: () => ({ ready: air.ready, says: 'SIM PIN required', last_sent_at: null }),
    },
    diskRetry: openDiskRetry({ clock: time, say: (line) => said.push(line) }),
    clock: time,
    say: (line) => said.push(line),
    reported: () => undefined,
  })
  return {
    time,
    disk,
    commands,
    sending,
    said,
    air,
    radio,
    give(guid: string, fields: object = {}) {
      commands.see({ type: 'send', guid, attempt: 1, to: '+34600111222', text: 'Hola', ...fields }, now())
      radio.look()
    },
    reports: () =>
      outbox.after(0, 100).map(({ payload }) => {
        const { guid, state, code } = JSON.parse(payload) as { guid: string; state: string; code?: string }
        return `${guid} ${code ?? state}`
      }),
    guids: () => sending.map(({ message }) => message.guid),
  }
}

const SENT: Outcome = { state: 'sent', parts: 1 }

test('one message at a time is on air, and the next one follows its outcome', async () => {
  const { give, sending, guids, time } = openStudio()
  give('g1')
  give('g2')
  await time.pass(5_000)
  assert.deepEqual(guids(), ['g1'])
  await sending[0]!.progress.onAir()
  sending[0]!.end(SENT)
  await time.pass(0)
  assert.deepEqual(guids(), ['g1', 'g2'])
})

test('the driver gets the fields of the command, and nothing else', async () => {
  const { give, sending, time } = openStudio()
  const iccid = '8934561100000000011'
  give('g1', { from: '+34611', iccid, silent: true, expires_at: '2027-01-01T00:00:00.000Z' })
  await time.pass(0)
  assert.deepEqual(sending[0]?.message, {
    guid: 'g1',
    attempt: 1,
    to: '+34600111222',
    text: 'Hola',
    from: '+34611',
    iccid,
    silent: true,
    expires_at: '2027-01-01T00:00:00.000Z',
  })
})

test('messages that wait for a radio that is not ready are sent when it is', async () => {
  const { give, air, guids, time } = openStudio()
  air.ready = false
  give('g1')
  await time.pass(5 * 60_000)
  assert.deepEqual(guids(), [])
  air.ready = true
  await time.pass(1_000)
  assert.deepEqual(guids(), ['g1'])
})

test('a radio that is not ready for ten minutes returns its messages, so that another device can send them', async () => {
  const { give, air, reports, guids, time } = openStudio()
  air.ready = false
  give('g1')
  await time.pass(9 * 60_000)
  give('g2')
  await time.pass(2 * 60_000)
  assert.deepEqual(reports(), ['g1 accepted', 'g2 accepted', 'g1 no_network'])
  assert.deepEqual(guids(), [])
})

test('a clock that is set neither returns the messages of a radio that is not ready, nor holds them', async () => {
  for (const set_by of [24 * 3_600_000, -24 * 3_600_000]) {
    const { give, air, reports, time } = openStudio()
    air.ready = false
    give('g1')
    await time.pass(60_000)
    time.set(set_by)
    await time.pass(8 * 60_000)
    assert.deepEqual(reports(), ['g1 accepted'])
    await time.pass(2 * 60_000)
    assert.deepEqual(reports(), ['g1 accepted', 'g1 no_network'])
  }
})

test('a radio that is ready in between has ten minutes again', async () => {
  const { give, sending, air, reports, time } = openStudio()
  air.ready = false
  give('g1')
  give('g2')
  await time.pass(9 * 60_000)
  air.ready = true
  await time.pass(1_000)
  air.ready = false
  await sending[0]!.progress.onAir()
  sending[0]!.end(SENT)
  await time.pass(9 * 60_000)
  assert.deepEqual(reports(), ['g1 accepted', 'g2 accepted', 'g1 sent'])
  await time.pass(2 * 60_000)
  assert.equal(reports().at(-1), 'g2 no_network')
})

test('a message that expires while another is on air is not sent', async () => {
  const { give, sending, reports, guids, time } = openStudio()
  give('g1')
  give('g2', { expires_at: new Date(time.now() + 60_000).toISOString() })
  await time.pass(90_000)
  await sending[0]!.progress.onAir()
  sending[0]!.end(SENT)
  await time.pass(0)
  assert.deepEqual(reports(), ['g1 accepted', 'g2 accepted', 'g1 sent', 'g2 expired'])
  assert.deepEqual(guids(), ['g1'])
})

test('a message cancelled while the driver prepares does not go on air', async () => {
  const { give, sending, commands, reports, time } = openStudio()
  give('g1')
  await time.pass(0)
  commands.cancel('g1', new Date(time.now()).toISOString())
  await assert.rejects(sending[0]!.progress.onAir())
  sending[0]!.end({ state: 'failed', code: 'modem_error', detail: 'not sent', block: false, parts: 0 })
  await time.pass(10_000)
  assert.deepEqual(reports(), ['g1 accepted', 'g1 cancelled'])
})

test('a message that expires while the driver prepares does not go on air, and is reported as expired', async () => {
  const { give, sending, reports, guids, time } = openStudio()
  give('g1', { expires_at: new Date(time.now() + 60_000).toISOString() })
  give('g2')
  await time.pass(60_000)
  await assert.rejects(sending[0]!.progress.onAir())
  sending[0]!.end({ state: 'failed', code: 'modem_error', detail: 'not sent', block: false, parts: 0 })
  await time.pass(0)
  assert.deepEqual(reports(), ['g1 accepted', 'g2 accepted', 'g1 expired'])
  assert.deepEqual(guids(), ['g1', 'g2'])
})

test('a message whose expiry the disk does not take is not given to the driver, and is reported later', async () => {
  const { give, commands, air, guids, reports, time } = openStudio()
  const { expire } = commands
  air.ready = false
  give('g1', { expires_at: new Date(time.now() + 60_000).toISOString() })
  await time.pass(59_000)
  commands.expire = () => {
    throw new Unwritable('database or disk is full')
  }
  await time.pass(2_000)
  air.ready = true
  await time.pass(10_000)
  assert.deepEqual([guids(), reports()], [[], ['g1 accepted']])
  commands.expire = expire
  await time.pass(1_000)
  assert.deepEqual([guids(), reports()], [[], ['g1 accepted', 'g1 expired']])
})

test('with a full disk nothing goes on air; sending resumes by itself when there is space', async () => {
  const { give, sending, disk, guids, said, reports, time } = openStudio()
  give('g1')
  await time.pass(0)
  disk.room = 0
  await assert.rejects(sending[0]!.progress.onAir())
  sending[0]!.end({ state: 'failed', code: 'modem_error', detail: 'not sent', block: false, parts: 0 })
  await time.pass(60_000)
  assert.match(said[0]!, /^The disk takes no more \(less than 4 MiB are free\)/)
  assert.deepEqual(reports(), ['g1 accepted'])
  disk.room = 1e9
  assert.deepEqual(guids(), ['g1', 'g1'])
  await sending[1]!.progress.onAir()
  assert.equal(said[1], 'The disk accepts writes again: continuing')
  sending[1]!.end(SENT)
  await time.pass(0)
  assert.deepEqual(reports(), ['g1 accepted', 'g1 sent'])
})

test('an outcome that the disk does not take is retried, and nothing else is sent meanwhile', async () => {
  const { give, sending, commands, guids, reports, time } = openStudio()
  const { end } = commands
  let full = true
  commands.end = (...args) => {
    if (full) throw new Unwritable('database or disk is full')
    end(...args)
  }
  give('g1')
  give('g2')
  await time.pass(0)
  await sending[0]!.progress.onAir()
  sending[0]!.end(SENT)
  await time.pass(60_000)
  assert.deepEqual([guids(), reports()], [['g1'], ['g1 accepted', 'g2 accepted']])
  full = false
  await time.pass(5_000)
  assert.deepEqual(
    [guids(), reports()],
    [
      ['g1', 'g2'],
      ['g1 accepted', 'g2 accepted', 'g1 sent'],
    ],
  )
})

test('if a driver throws, the outcome is unknown on air, and a failure of the driver before that', async () => {
  const { give, sending, reports, time } = openStudio()
  give('g1')
  give('g2')
  await time.pass(0)
  await sending[0]!.progress.onAir()
  sending[0]!.end(Promise.reject(new Error('the port is gone')) as unknown as Outcome)
  await time.pass(0)
  sending[1]!.end(Promise.reject(new Error('the port is gone')) as unknown as Outcome)
  await time.pass(0)
  assert.deepEqual(reports(), ['g1 accepted', 'g2 accepted', 'g1 unknown_outcome', 'g2 modem_error'])
})

test('on a stop the message on air gets its outcome, and no other begins', async () => {
  const { give, sending, guids, radio, time } = openStudio()
  give('g1')
  give('g2')
  await time.pass(0)
  await sending[0]!.progress.onAir()
  let finished = false
  const finishing = radio.finish().then(() => (finished = true))
  await time.pass(10_000)
  assert.equal(finished, false)
  sending[0]!.end(SENT)
  await finishing
  await time.pass(10_000)
  assert.deepEqual(guids(), ['g1'])
})
