import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually, openScene, type Scene } from '#test/agents.ts'
import type { Endpoint } from '#test/endpoint.ts'
import { readAir } from '#test/scripted.ts'

type Death = {
  /** The agent's work when it died. */
  when: string
  /** A call of the ledger, or a word in the text that makes the test radio die. */
  kill_at?: string
  text?: string
  /** The final state at the server, and the number of parts that went on air. */
  says: 'sent' | 'unknown_outcome'
  on_air: number
}

const deaths: Death[] = [
  { when: 'before it stored the command', kill_at: 'commands.see:before:1', says: 'sent', on_air: 1 },
  { when: 'before it acknowledged the command', kill_at: 'commands.see:after:1', says: 'sent', on_air: 1 },
  { when: 'before it handed the message to the radio', text: 'kill=before-sending', says: 'sent', on_air: 1 },
  { when: 'before it stored "sending"', kill_at: 'commands.beginSending:before:1', says: 'sent', on_air: 1 },
  {
    when: 'right after it stored "sending"',
    kill_at: 'commands.beginSending:after:1',
    says: 'unknown_outcome',
    on_air: 0,
  },
  { when: 'before anything was on air', text: 'kill=sending', says: 'unknown_outcome', on_air: 0 },
  { when: 'between the air and the answer', text: 'kill=on-air-1', says: 'unknown_outcome', on_air: 1 },
  {
    when: 'before it stored the answer',
    kill_at: 'commands.partSent:before:1',
    says: 'unknown_outcome',
    on_air: 1,
  },
  { when: 'after it stored the answer', kill_at: 'commands.partSent:after:1', says: 'sent', on_air: 1 },
  { when: 'before it stored the outcome', kill_at: 'commands.end:before:1', says: 'sent', on_air: 1 },
  { when: 'before it could report the outcome', kill_at: 'commands.end:after:1', says: 'sent', on_air: 1 },
  {
    when: 'when the server had committed a report',
    kill_at: 'outbox.committed:before:1',
    says: 'sent',
    on_air: 1,
  },
  { when: 'when a report had left the outbox', kill_at: 'outbox.committed:after:1', says: 'sent', on_air: 1 },
  { when: 'in the middle of three parts', text: 'parts=3 kill=on-air-2', says: 'unknown_outcome', on_air: 2 },
  {
    when: 'between two of three parts',
    text: 'parts=3 kill=part-sent-2',
    says: 'unknown_outcome',
    on_air: 2,
  },
  { when: 'after the last of three parts', text: 'parts=3 kill=part-sent-3', says: 'sent', on_air: 3 },
]

for (const { when, kill_at, text = '', says, on_air } of deaths) {
  test(`killed ${when}, it loses nothing and sends nothing twice`, async (t) => {
    const { endpoint, run, air } = await openScene(t)
    const first = run(kill_at ? { kill_at } : {})
    await endpoint.until('connected', () => endpoint.connected('d1'))
    const giveOrders = orderGiver(endpoint)
    giveOrders('d1')
    endpoint.hand('d1', { guid: 'g1', text })
    giveOrders('d1')
    assert.equal((await first.ended).signal, 'SIGKILL')

    run()
    const outcome = await endpoint.until('the outcome', () =>
      endpoint.reports('g1').find(({ state }) => state === 'sent' || state === 'failed'),
    )
    assert.equal(outcome.code ?? outcome.state, says)
    const orders = giveOrders('d1')
    endpoint.hand('d1', { guid: 'g1', text })
    endpoint.hand('d1', { guid: 'g2' })
    await endpoint.until('the next message', () => endpoint.states('g2').includes('sent'))
    assert.equal(endpoint.states('g1').filter((state) => state === 'sent' || state === 'failed').length, 1)
    assert.deepEqual(
      air()
        .filter(({ guid }) => guid === 'g1')
        .map(({ n }) => n),
      Array.from({ length: on_air }, (_, i) => i + 1),
    )
    await endpoint.until('the answers', () => orders.every((order) => answered(endpoint, order)))
    assert.deepEqual(endpoint.breaches, [])
  })
}

for (const kill_at of ['inbox.receive:before:1', 'inbox.receive:after:1', 'outbox.committed:before:1']) {
  test(`a received SMS is handed on once, even if the agent is killed at ${kill_at}`, async (t) => {
    const { endpoint, run, receive, radio } = await openScene(t)
    receive('1', { id: 'sms-1', from: '+34600111222', text: 'Sí', at: '2026-03-01T10:00:00Z' })
    assert.equal((await run({ kill_at }).ended).signal, 'SIGKILL')
    run()
    await endpoint.until('the SMS', () => endpoint.inbox().some(({ text }) => text === 'Sí'))
    await eventually('the SIM is empty', () => readdirSync(join(radio, 'sim')).length === 0)
    assert.deepEqual([...new Set(endpoint.inbox().map(({ id }) => id))], ['sms-1'])
  })
}

test('a delivery report stored before a kill is reported after it', async (t) => {
  const { endpoint, run } = await openScene(t)
  const first = run({ kill_at: 'deliveries.take:after:1' })
  await endpoint.until('connected', () => endpoint.connected('d1'))
  endpoint.hand('d1', { guid: 'g1', text: 'delivered' })
  assert.equal((await first.ended).signal, 'SIGKILL')
  run()
  await endpoint.until('delivered', () => endpoint.states('g1').includes('delivered'))
})

test('an agent that is killed while it recovers from a kill still reports once', async (t) => {
  const { endpoint, run, air } = await openScene(t)
  const first = run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  endpoint.hand('d1', { guid: 'g1', text: 'kill=on-air-1' })
  await first.ended
  await run({ kill_at: 'commands.recover:before:1' }).ended
  await run({ kill_at: 'commands.recover:after:1' }).ended
  run()
  await endpoint.until('uncertain', () =>
    endpoint.reports('g1').some(({ code }) => code === 'unknown_outcome'),
  )
  assert.equal(air().length, 1)
})

test('an agent killed again and again at random moments loses nothing and sends nothing twice', async (t) => {
  const uids = ['d1', 'd2']
  const scene = await openScene(t, { devices: uids })
  const { endpoint, run, folder } = scene
  const giveOrders = orderGiver(endpoint)
  const guids: string[] = []
  const received: string[] = []
  const sent = (guid: string) => endpoint.states(guid).includes('sent')
  const isOver = (guid: string) => sent(guid) || endpoint.states(guid).includes('failed')

  for (let round = 1; round <= 8; round++) {
    const agent = run()
    await endpoint.until(`round ${round}`, () => uids.every(endpoint.connected))
    for (let i = 0; i < 15; i++) {
      const guid = `g${round}-${i}`
      guids.push(guid)
      endpoint.hand(uids[i % 2]!, { guid, text: `parts=${1 + (i % 3)} ms=${i % 7}` })
      if (i % 3 === 0) received.push(receiveOne(scene, guid))
      if (i % 5 === 0) giveOrders(uids[i % 2]!)
    }
    await wait(Math.random() * 400)
    await agent.kill()
    t.diagnostic(`round ${round}: ${guids.filter(isOver).length} of ${guids.length} over when killed`)
  }
  // An order is given once, so it must meet the last agent.
  await endpoint.until('the last end', () => !uids.some(endpoint.connected))
  run()
  await endpoint.until('the last start', () => uids.every(endpoint.connected))
  await endpoint.until('every outcome', () => guids.every(isOver), 60_000)
  const orders = uids.flatMap((uid) => giveOrders(uid))
  await endpoint.until('every answer', () => orders.every((order) => answered(endpoint, order)))
  await endpoint.until('every SMS', () =>
    received.every((id) => endpoint.inbox().some((sms) => sms.id === id)),
  )

  const air = uids.flatMap((uid) => readAir(join(folder, `radio-${uid}`)))
  const times = Map.groupBy(air, ({ guid, n }) => `${guid} ${n}`)
  assert.deepEqual(
    [...times].filter(([, lines]) => lines.length > 1),
    [],
    'on air more than once',
  )
  for (const guid of guids) {
    const lines = air.filter((line) => line.guid === guid)
    const reports = endpoint.reports(guid)
    assert.ok(!(sent(guid) && reports.some(({ state }) => state === 'failed')), `${guid} has two outcomes`)
    if (sent(guid)) assert.equal(lines.length, lines[0]?.of, `${guid} is said to be sent`)
    else
      assert.ok(
        reports.some(({ code }) => code === 'unknown_outcome'),
        `${guid} failed for a reason of its own`,
      )
  }
  assert.deepEqual([...new Set(endpoint.inbox().map(({ id }) => id))].sort(), received.toSorted())
  assert.deepEqual(endpoint.breaches, [])
})

function receiveOne({ receive }: Scene, name: string): string {
  receive(name, { id: `sms-${name}`, from: '+34600333444', text: name, at: '2026-03-01T10:00:00Z' })
  return `sms-${name}`
}

/** Gives a device one order of each kind, as the server does: once, whatever happens to the agent. */
function orderGiver(endpoint: Endpoint): (uid: string) => number[] {
  let last = 0
  const kinds = [
    { what: 'restart_radio' },
    { what: 'ussd', with: { code: '*100#' } },
    { what: 'configure', with: { settings: { number: '+34600111222' } } },
    { what: 'doctor' },
  ]
  return (uid) =>
    kinds.map((kind) => {
      const order = ++last
      const expires_at = new Date(Date.now() + 60_000).toISOString()
      endpoint.command(uid, { type: 'order', order, expires_at, ...kind })
      return order
    })
}

function answered(endpoint: Endpoint, order: number): boolean {
  const answers = endpoint.published.filter(({ part }) => part === 'answers')
  return answers.some(({ payload }) => {
    const { order: to, ok } = payload as { order: number; ok: boolean }
    return to === order && ok
  })
}
