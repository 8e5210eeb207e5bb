import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { revokeApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { addOptOut, liftOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { COMMAND, GENERIC_NACK } from '#server/outward/doors/smpp/codec/commands.ts'
import { writePdu } from '#server/outward/doors/smpp/codec/pdus.ts'
import { text } from '#server/outward/doors/smpp/codec/octets.ts'
import { MINUTE } from './clock.ts'
import { eventually } from './device.ts'
import { openSmppCompany } from './smpp-client.ts'
import { call } from './server.ts'
import { openSockets } from './sockets.ts'
import { testedClient } from '../../../scripts/tested-clients.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const TLS = {
  TLS_CERT_FILE: join(FIXTURES, 'localhost-cert.pem'),
  TLS_KEY_FILE: join(FIXTURES, 'localhost-key.pem'),
}
const utf16 = (written: string) => Buffer.from(written, 'utf16le').swap16()
const udh8 = (n: number, of: number) => Buffer.of(5, 0, 3, 7, of, n)
const udh16 = (n: number, of: number) => Buffer.of(6, 8, 4, 1, 7, of, n)

test('the client submits each alphabet, and the task of each message_id has its text', async (t) => {
  testedClient(t, {
    door: 'SMPP',
    client: '`smpp`',
    npm: 'smpp',
    tried: 'each alphabet, `message_payload`, times, senders',
  })
  const { bind, task, join: link } = await openSmppCompany(t)
  await link('drone-1', '+34611000001')
  const { submit } = await bind('bind_transmitter')
  const long = 'A text that is longer than one SMS. '.repeat(10)
  const sent: [fields: Record<string, unknown>, written: string][] = [
    [{ data_coding: 0, short_message: 'Año {5 €} @' }, 'Año {5 €} @'],
    [{ data_coding: 1, short_message: Buffer.from('plain') }, 'plain'],
    [{ data_coding: 3, short_message: 'Año ¿qué?' }, 'Año ¿qué?'],
    [{ data_coding: 8, short_message: 'Ω ☺ 😀' }, 'Ω ☺ 😀'],
    [{ data_coding: 0, short_message: '', message_payload: long }, long],
  ]
  for (const [fields, written] of sent) {
    const { command_status, message_id } = await submit(fields)
    assert.equal(command_status, 0)
    const { text: got, from_number } = await task(message_id!)
    assert.deepEqual([got, from_number], [written, null])
  }
  const { message_id } = await submit({
    source_addr_ton: 1,
    source_addr: '34611000001',
    dest_addr_ton: 1,
    destination_addr: '34600111333',
    schedule_delivery_time: '260610093000000+',
    validity_period: '000000060000000R',
  })
  const { from_number, to_number, expires_at } = await task(message_id!)
  assert.deepEqual(
    [from_number, to_number, expires_at],
    ['+34611000001', '+34600111333', '2026-06-10T14:00:00.000Z'],
  )
})

test('the parts of a long SMS become one task, whatever their order, header or connection', async (t) => {
  testedClient(t, {
    door: 'SMPP',
    client: '`smpp`',
    npm: 'smpp',
    tried: 'parts with a header of 8 and 16 bits, and with `sar_`',
  })
  const { bind, tasks, clock } = await openSmppCompany(t)
  const [one, other] = [await bind(), await bind()]
  const emoji = utf16('Ω😀')
  const sar = (n: number) => ({ sar_msg_ref_num: 9, sar_total_segments: 2, sar_segment_seqnum: n })
  const long: [first: Record<string, unknown>, last: Record<string, unknown>, written: string][] = [
    [
      { short_message: Buffer.concat([udh8(2, 2), Buffer.from('world')]), esm_class: 0x40 },
      { short_message: Buffer.concat([udh8(1, 2), Buffer.from('hello ')]), esm_class: 0x40 },
      'hello world',
    ],
    [
      // The parts cut a character in two.
      { short_message: Buffer.concat([udh16(1, 2), emoji.subarray(0, 4)]), esm_class: 0x40, data_coding: 8 },
      { short_message: Buffer.concat([udh16(2, 2), emoji.subarray(4)]), esm_class: 0x40, data_coding: 8 },
      'Ω😀',
    ],
    [{ short_message: 'sar ', ...sar(1) }, { short_message: 'parts', ...sar(2) }, 'sar parts'],
  ]
  for (const [first, last, written] of long) {
    const before = await tasks()
    const { message_id: id } = await one.submit(first)
    const [, guid, n] = /^(.+)\.(\d)$/.exec(id!)!
    assert.equal((await one.submit(first)).message_id, id, 'a part that comes again is stored once')
    assert.equal((await one.ask('query_sm', { message_id: id })).message_state, 1)
    assert.deepEqual(await tasks(), before)
    assert.equal((await other.submit(last)).message_id, `${guid}.${3 - Number(n)}`)
    const [task] = await tasks()
    assert.deepEqual([task!.guid, task!.text], [guid, written])
    assert.equal((await one.ask('query_sm', { message_id: id })).message_state, 1)
  }
  // A reference is used again, and after ten minutes the first part is given up.
  const [first, last] = long[0]!
  const { message_id: old } = await one.submit(first)
  clock.advance(11 * MINUTE)
  const { message_id: young } = await one.submit(last)
  assert.notEqual(young!.split('.')[0], old!.split('.')[0])
  assert.equal((await tasks()).length, long.length)
})

test('a refused long SMS is complete once its last part is sent again and can be taken', async (t) => {
  testedClient(t, { door: 'SMPP', client: '`smpp`', npm: 'smpp', tried: 'a refused part again' })
  const { bind, tasks, server, token } = await openSmppCompany(t)
  const { submit } = await bind()
  const part = (n: number) => ({
    short_message: Buffer.concat([udh8(n, 2), Buffer.from(`part ${n} `)]),
    esm_class: 0x40,
  })
  assert.equal((await submit(part(1))).command_status, 0)
  const { body } = await call(server, addOptOut, { token, body: { number: '+34600111222' } })
  assert.equal((await submit(part(2))).command_status, 0x0b)
  assert.deepEqual(await tasks(), [])
  await call(server, liftOptOut, { token, params: { id: body.id } })
  assert.equal((await submit(part(2))).command_status, 0)
  assert.equal((await tasks())[0]!.text, 'part 1 part 2 ')
})

test('a refusal has its command_status, and nothing is stored', async (t) => {
  testedClient(t, { door: 'SMPP', client: '`smpp`', npm: 'smpp', tried: 'refusals' })
  const { bind, server, token, tasks } = await openSmppCompany(t)
  await call(server, addOptOut, { token, body: { number: '+34600111223' } })
  const { submit, ask } = await bind()
  const refusals: [fields: Record<string, unknown>, status: number][] = [
    [{ destination_addr: '' }, 0x0b],
    [{ destination_addr: 'Ana' }, 0x0b],
    [{ destination_addr: '+34600111223' }, 0x0b],
    [{ short_message: '' }, 0x01],
    [{ short_message: '', message_payload: 'x'.repeat(1_531) }, 0x01],
    [{ short_message: 'x', message_payload: 'y' }, 0x01],
    [
      {
        short_message: '',
        message_payload: 'x'.repeat(255),
        sar_msg_ref_num: 9,
        sar_total_segments: 2,
        sar_segment_seqnum: 1,
      },
      0x01,
    ],
    [{ data_coding: 4, short_message: Buffer.from('x') }, 0x45],
    [{ data_coding: 0, short_message: Buffer.of(0xf1) }, 0x45],
    [{ data_coding: 8, short_message: Buffer.of(0, 65, 0) }, 0x45],
    [{ esm_class: 0x04 }, 0x43],
    [{ esm_class: 0x40, short_message: Buffer.from('0605040b8423f0', 'hex') }, 0x43],
    [{ esm_class: 0x40, short_message: Buffer.of(9, 0) }, 0x43],
    [{ schedule_delivery_time: 'tomorrow' }, 0x61],
    [{ schedule_delivery_time: '270701000000000+' }, 0x61],
    [{ validity_period: '260610000000000+' }, 0x62],
    [{ replace_if_present_flag: 1 }, 0x54],
    [{ sm_default_msg_id: 3 }, 0x63],
  ]
  for (const [fields, status] of refusals)
    assert.deepEqual([fields, (await submit(fields)).command_status], [fields, status])
  assert.equal((await ask('query_sm', { message_id: 'no-such' })).command_status, 0x0c)
  assert.equal((await ask('cancel_sm', { message_id: 'no-such' })).command_status, 0x11)
  for (const command of ['replace_sm', 'data_sm'] as const) {
    const { command: answer, command_status } = await ask(command)
    assert.deepEqual([answer, command_status], ['generic_nack', 0x03])
  }
  assert.deepEqual(await tasks(), [])
})

test('each part counts for DOORS_RATE, and the last one once', async (t) => {
  const { bind, tasks } = await openSmppCompany(t, { DOORS_RATE: '1' })
  const { submit } = await bind()
  const part = (n: number) => ({
    short_message: Buffer.concat([udh8(n, 3), Buffer.from(`${n}`)]),
    esm_class: 0x40,
  })
  const said = await Promise.all([submit(part(1)), submit(part(2))])
  assert.deepEqual(
    said.map(({ command_status }) => command_status),
    [0, 0x58],
  )
  for (const n of [2, 3]) await eventually(async () => (await submit(part(n))).command_status === 0)
  assert.equal((await tasks())[0]!.text, '123')
})

test('a message is queried, and is canceled until a device has it', async (t) => {
  testedClient(t, { door: 'SMPP', client: '`smpp`', npm: 'smpp', tried: '`query_sm`, `cancel_sm`' })
  const { bind, task, join: link, createKey, clock } = await openSmppCompany(t)
  const { submit, ask } = await bind()
  const { message_id } = await submit({ schedule_delivery_time: '260611000000000+' })
  assert.equal((await ask('query_sm', { message_id })).message_state, 1)
  assert.equal((await ask('cancel_sm', { message_id })).command_status, 0)
  const { message_state, final_date } = await ask('query_sm', { message_id })
  assert.deepEqual([message_state, final_date], [4, new Date(clock.now())])
  assert.equal((await task(message_id!)).state, 'discarded')
  assert.equal((await ask('cancel_sm', { message_id })).command_status, 0x11)

  const device = await link('drone-1')
  const { message_id: second } = await submit({})
  const [command] = await device.until(1)
  assert.equal(command!.guid, second)
  assert.equal((await ask('cancel_sm', { message_id: second })).command_status, 0x11)

  const writer = await createKey({ may: ['tasks:write'] })
  const blind = await bind('bind_transmitter', { password: writer.key })
  assert.equal((await blind.ask('query_sm', { message_id })).command_status, 0x67)
})

test('a program binds once, with a key that may do what it binds for, and does what its bind allows', async (t) => {
  testedClient(t, {
    door: 'SMPP',
    client: '`smpp`',
    npm: 'smpp',
    tried: 'binds, and the requests that each allows',
  })
  const { open, bind, key, createKey } = await openSmppCompany(t)
  const reader = await createKey({ may: ['tasks:read'] })
  const login = { system_id: 'shop', password: key.key }
  const refused: [fields: Record<string, unknown>, status: number][] = [
    [{ ...login, password: 'sdk_wrong' }, 0x0e],
    [{ ...login, password: reader.key }, 0x0e],
    [{ ...login, interface_version: 0x51 }, 0x0d],
  ]
  for (const [fields, status] of refused) {
    const { ask, closed } = await open()
    assert.equal((await ask('bind_transceiver', fields)).command_status, status)
    await closed
  }
  const unbound = await open()
  assert.equal((await unbound.submit({})).command_status, 0x04)
  assert.equal((await unbound.ask('unbind')).command_status, 0x04)
  const { sc_interface_version } = await unbound.ask('bind_transceiver', {
    ...login,
    interface_version: 0x50,
  })
  assert.equal(sc_interface_version, 0x34)
  assert.equal((await unbound.ask('bind_receiver', login)).command_status, 0x05)
  const receiver = await bind('bind_receiver')
  assert.equal((await receiver.submit({})).command_status, 0x04)
  assert.equal((await receiver.ask('enquire_link')).command_status, 0)
  for (let more = 2; more < 10; more++) await bind()
  await assert.rejects(bind(), /13/)
  assert.equal((await receiver.ask('unbind')).command_status, 0)
  await receiver.closed
  await bind()
})

test('a submit_sm is answered before an unbind, and before the end after a malformed PDU', async (t) => {
  testedClient(t, {
    door: 'SMPP',
    client: 'octets',
    tried: 'a malformed PDU, and an unbind, right behind a `submit_sm`',
  })
  const { key, talk, tasks } = await openSmppCompany(t)
  const pdu = (command: number, sequence: number, body = Buffer.alloc(0)) =>
    writePdu({ command, status: 0, sequence, body })
  const login = [text('shop'), text(key.key), text(''), Buffer.of(0x34, 0, 0), text('')]
  const addresses = [text(''), Buffer.of(0, 0), text(''), Buffer.of(1, 1), text('34600111222')]
  const rest = [Buffer.alloc(3), text(''), text(''), Buffer.of(0, 0, 0, 0, 2), Buffer.from('hi')]
  const bind = pdu(COMMAND.bind_transceiver, 1, Buffer.concat(login))
  const submit = pdu(COMMAND.submit_sm, 2, Buffer.concat([...addresses, ...rest]))
  const lasts: [last: Buffer, command: number, status: number][] = [
    [pdu(COMMAND.unbind, 3), 0x8000_0006, 0],
    [Buffer.from('00010001', 'hex'), GENERIC_NACK, 0x02],
    [Buffer.from('0000000f00000004', 'hex'), GENERIC_NACK, 0x02],
  ]
  for (const [last, command, status] of lasts) {
    const heard = await talk(bind, Buffer.concat([submit, last, submit]))
    assert.deepEqual(
      heard.map((answer) => [answer.command, answer.status]),
      [
        [0x8000_0009, 0],
        // After the program has unbound itself, nothing is taken.
        ...(command === GENERIC_NACK ? [] : [[0x8000_0004, 0x08]]),
        [0x8000_0004, 0],
        [command, status],
      ],
    )
  }
  assert.equal((await tasks()).length, lasts.length)
})

test('a revoked key is unbound, and so is everybody when the server stops', async (t) => {
  testedClient(t, {
    door: 'SMPP',
    client: '`smpp`',
    npm: 'smpp',
    tried: 'a revoked key, and the end of the server',
  })
  const { bind, createKey, server, token } = await openSmppCompany(t)
  const other = await createKey()
  const [revoked, kept] = [await bind('bind_transceiver', { password: other.key }), await bind()]
  const unbound = (client: typeof kept) => new Promise((resolve) => client.session.once('unbind', resolve))
  const [first, second] = [unbound(revoked), unbound(kept)]
  await call(server, revokeApiKey, { token, params: { id: other.id } })
  await first
  await revoked.closed
  assert.equal((await kept.submit({})).command_status, 0)
  await server.stop()
  await second
  await kept.closed
})

test('strangers who fill the door keep no program out', async (t) => {
  setDefaultCACertificates([readFileSync(TLS.TLS_CERT_FILE, 'utf8')])
  for (const [settings, options] of [
    [{}, {}],
    [TLS, { tls: true, servername: 'localhost' }],
  ] as const) {
    const { port, open, key, tasks } = await openSmppCompany(t, settings)
    const program = async () => {
      const { ask, submit } = await open(options)
      await ask('bind_transceiver', { system_id: 'shop', password: key.key })
      return submit
    }
    const early = await program()
    const strangers = await openSockets(t, port, 520)
    for (const socket of strangers) socket.resume()
    await eventually(() => strangers.filter(({ closed }) => !closed).length <= 50)
    for (const submit of [early, await program()]) assert.equal((await submit({})).command_status, 0)
    assert.equal((await tasks()).length, 2)
  }
})

test('with a certificate, the door speaks TLS', async (t) => {
  testedClient(t, { door: 'SMPP', client: '`smpp`', npm: 'smpp', tried: 'TLS' })
  setDefaultCACertificates([readFileSync(TLS.TLS_CERT_FILE, 'utf8')])
  const { open, key, tasks } = await openSmppCompany(t, TLS)
  const { ask, submit } = await open({ tls: true, servername: 'localhost' })
  await ask('bind_transmitter', { system_id: 'shop', password: key.key })
  await submit({ short_message: 'secret' })
  assert.equal((await tasks())[0]!.text, 'secret')
})

test('a key may have a short login, which ends with the key and is throttled after ten wrong passwords', async (t) => {
  testedClient(t, { door: 'SMPP', client: '`smpp`', npm: 'smpp', tried: 'the short login of a key' })
  const { open, bind, createKey, server, token, tasks } = await openSmppCompany(t)
  const { id, smpp: login } = await createKey({ name: 'short', smpp: true })
  const { system_id, password } = login!
  assert.ok(system_id.length <= 15 && password.length === 8)
  const { submit, closed } = await bind('bind_transmitter', { system_id, password })
  assert.equal((await submit({})).command_status, 0)
  assert.equal((await tasks()).length, 1)
  const statusOf = async (fields: Record<string, unknown>) =>
    (await (await open()).ask('bind_transmitter', fields)).command_status
  for (let wrong = 0; wrong < 10; wrong++)
    assert.equal(await statusOf({ system_id, password: `wrong${wrong}` }), 0x0e)
  assert.equal(await statusOf({ system_id, password }), 0x0d)
  await call(server, revokeApiKey, { token, params: { id } })
  await closed
})
