import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pdu } from 'smpp'
import { HOUR, SECOND } from './clock.ts'
import { type Client, openSmppCompany } from './smpp-client.ts'
import { testedClient } from '../../../scripts/tested-clients.ts'

/** Answers each `deliver_sm` with the next of these statuses, then with 0. `next` resolves to the next one. */
function listen({ session }: Client, ...statuses: number[]) {
  const heard: Pdu[] = []
  const waiting: ((pdu: Pdu) => void)[] = []
  session.on('deliver_sm', (pdu: Pdu) => {
    session.send(pdu.response({ command_status: statuses.shift() ?? 0 }))
    const go = waiting.shift()
    if (go) go(pdu)
    else heard.push(pdu)
  })
  return {
    heard,
    next: () =>
      new Promise<Pdu>((resolve) => {
        const pdu = heard.shift()
        if (pdu) resolve(pdu)
        else waiting.push(resolve)
      }),
  }
}

const textOf = ({ short_message, message_payload }: Pdu) =>
  String(message_payload?.message ?? short_message!.message)

test('a receipt waits for a bind of its key, and is told until one takes it', async (t) => {
  testedClient(t, { door: 'SMPP', client: '`smpp`', npm: 'smpp', tried: 'receipts' })
  const { bind, join: link, clock, createKey } = await openSmppCompany(t)
  const drone = await link('drone-1', '+34611000001')
  const { submit } = await bind('bind_transmitter')
  const { message_id } = await submit({
    source_addr: '+34611000001',
    short_message: 'Año, a text of more than twenty characters',
    registered_delivery: 1,
  })
  await drone.until(1)
  for (const state of ['accepted', 'sent', 'delivered'] as const)
    await drone.report({ guid: message_id!, state })
  const stranger = await createKey()
  const foreign = listen(await bind('bind_transceiver', { password: stranger.key }))
  const receiver = await bind('bind_receiver')
  const first = listen(receiver, 0x14)
  const refused = await first.next()
  // The server has read the refusal once it answers this.
  await receiver.ask('enquire_link')
  const second = listen(await bind())
  clock.advance(10 * SECOND)
  const receipt = await second.next()
  assert.equal(textOf(receipt), textOf(refused))
  assert.equal(
    textOf(receipt),
    `id:${message_id} sub:001 dlvrd:001 submit date:2606100800 done date:2606100800 stat:DELIVRD err:000 text:Año, a text of more `,
  )
  const { esm_class, message_state, receipted_message_id, source_addr, destination_addr } = receipt
  assert.deepEqual(
    [esm_class, message_state, receipted_message_id, source_addr, destination_addr],
    [4, 2, message_id, '34600111222', '34611000001'],
  )
  // One that was taken does not come again.
  const { message_id: later } = await submit({
    registered_delivery: 1,
    schedule_delivery_time: '260611000000000+',
  })
  const { ask } = await bind('bind_transmitter')
  await ask('cancel_sm', { message_id: later })
  const [next] = await Promise.race([first, second].map(async (one) => [await one.next()] as const))
  assert.match(textOf(next), /stat:DELETED/)
  assert.deepEqual(foreign.heard, [])
})

test('a receipt and a query have the time of the delivery or of the reply, not of the sending', async (t) => {
  const { bind, join: link, clock } = await openSmppCompany(t)
  const drone = await link('drone-1')
  const client = await bind()
  const { next } = listen(client)
  const dated = () => new Date(clock.now()).toISOString().slice(2, 16).replaceAll(/\D/g, '')
  for (const [n, end] of ['delivered', 'replied'].entries()) {
    const submitted = dated()
    const to = `60011122${n}`
    const { message_id } = await client.submit({ destination_addr: `+34${to}`, registered_delivery: 1 })
    await drone.until(n + 1)
    await drone.report({ guid: message_id!, state: 'sent' })
    clock.advance(HOUR)
    const at = new Date(clock.now()).toISOString()
    if (end === 'delivered') await drone.report({ guid: message_id!, state: 'delivered', at })
    else await drone.publish('inbox', { id: 'reply', from: `+34${to}`, text: 'thanks', at })
    const receipts = [textOf(await next())]
    // The key also receives the reply itself, before or after the receipt.
    if (end === 'replied') receipts.push(textOf(await next()))
    const receipt = receipts.find((text) => text.startsWith(`id:${message_id}`))!
    assert.match(receipt, new RegExp(`submit date:${submitted} done date:${dated()} stat:DELIVRD`))
    const { final_date, message_state } = await client.ask('query_sm', { message_id })
    assert.deepEqual([final_date, message_state], [new Date(clock.now()), 2])
  }
})

test('registered_delivery 2 asks for failures only, and each part asks for itself', async (t) => {
  testedClient(t, {
    door: 'SMPP',
    client: '`smpp`',
    npm: 'smpp',
    tried: '`registered_delivery`, also of parts',
  })
  const { bind, join: link } = await openSmppCompany(t)
  const drone = await link('drone-1')
  const client = await bind()
  const { next } = listen(client)
  const part = (n: number, registered_delivery: number) => ({
    short_message: Buffer.concat([Buffer.of(5, 0, 3, 7, 3, n), Buffer.from(`part ${n} `)]),
    esm_class: 0x40,
    registered_delivery,
  })
  const [one, two, three] = [
    await client.submit(part(1, 1)),
    await client.submit(part(2, 0)),
    await client.submit(part(3, 2)),
  ]
  assert.deepEqual([one.command_status, two.command_status, three.command_status], [0, 0, 0])
  const guid = one.message_id!.split('.')[0]!
  await drone.until(1)
  for (const state of ['accepted', 'sent', 'delivered'] as const) await drone.report({ guid, state })
  const { receipted_message_id } = await next()
  assert.equal(receipted_message_id, one.message_id)
  const { message_id: failed } = await client.submit({
    registered_delivery: 2,
    schedule_delivery_time: '260611000000000+',
  })
  await client.ask('cancel_sm', { message_id: failed })
  assert.equal((await next()).receipted_message_id, failed)
})

test('a key that has bound as a receiver gets received SMS, also those from between its binds', async (t) => {
  testedClient(t, { door: 'SMPP', client: '`smpp`', npm: 'smpp', tried: 'received SMS' })
  const { bind, join: link, createKey, clock } = await openSmppCompany(t)
  const drone = await link('drone-1', '+34611000001')
  const blind = await createKey({ may: ['tasks:write'] })
  const deaf = listen(await bind('bind_receiver', { password: blind.key }))
  const before = await bind('bind_receiver')
  await before.ask('unbind')
  const texts = ['Hello €', 'Ω ☺', 'A long text. '.repeat(30)]
  for (const [n, text] of texts.entries())
    await drone.publish('inbox', {
      id: `in-${n}`,
      from: '+34600111222',
      text,
      at: new Date(clock.now()).toISOString(),
      sim: '+34611000001',
    })
  const { next } = listen(await bind('bind_receiver'))
  for (const text of texts) {
    const sms = await next()
    assert.deepEqual(
      [textOf(sms), sms.source_addr, sms.destination_addr, sms.esm_class],
      [text, '34600111222', '34611000001', 0],
    )
  }
  assert.deepEqual(deaf.heard, [])
})
