import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, membership, openScene, rewriteDevices } from '#test/agents.ts'
import { openEndpoint } from '#test/endpoint.ts'
import { readAir } from '#test/scripted.ts'

test('a message is accepted, sent and delivered', async (t) => {
  const { endpoint, run, air } = await openScene(t)
  run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  endpoint.hand('d1', { guid: 'g1', text: 'parts=2 delivered' })
  await endpoint.until('delivered', () => endpoint.states('g1').includes('delivered'))
  assert.deepEqual(endpoint.states('g1'), ['accepted', 'sent', 'delivered'])
  const { parts, sim } = endpoint.reports('g1').find(({ state }) => state === 'sent')!
  assert.deepEqual({ parts, sim }, { parts: 2, sim: '1' })
  assert.equal(air().length, 2)
  const parts_said = endpoint.published.map(({ part }) => part)
  assert.deepEqual(parts_said.slice(0, 2).sort(), ['networks', 'status'])
  assert.deepEqual(endpoint.breaches, [])
})

test('settings that an order changes are on disk when it is answered, and a secret renewed by hand stays', async (t) => {
  const { endpoint, run, folder } = await openScene(t)
  const agent = run()
  const hello = await endpoint.until('connected', () =>
    endpoint.published.find(({ part }) => part === 'status'),
  )
  const { abilities } = hello.payload as { abilities: string[] }
  assert.deepEqual(abilities, ['doctor', 'logs', 'ussd', 'restart_radio', 'configure'])
  await endpoint.until('connected', () => endpoint.connected('d1'))
  rewriteDevices(folder, (devices) => devices.map((device) => ({ ...device, secret: 'renewed' })))
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const answerTo = (order: number, settings: object) => {
    endpoint.command('d1', { type: 'order', order, what: 'configure', with: { settings }, expires_at })
    return endpoint.until(`the answer to ${order}`, () =>
      endpoint.published
        .filter(({ part }) => part === 'answers')
        .map(({ payload }) => payload as { order: number; ok: boolean; output?: string; detail?: string })
        .find((answer) => answer.order === order),
    )
  }
  assert.equal((await answerTo(1, { number: '+34600111222' })).output, 'number is now +34600111222')
  await agent.kill()
  const stored = () => {
    const text = readFileSync(join(folder, 'devices.json'), 'utf8')
    return (JSON.parse(text) as { devices: ReturnType<typeof membership>[] }).devices[0]!
  }
  assert.deepEqual([stored().settings['number'], stored().secret], ['+34600111222', 'renewed'])

  run()
  await endpoint.until('connected again', () => endpoint.connected('d1'))
  const refused = await answerTo(2, { folder: '/', number: null })
  assert.deepEqual(
    [refused.ok, refused.detail],
    [false, 'It cannot change folder. An order can change: number'],
  )
  await answerTo(3, { number: null })
  assert.deepEqual(Object.keys(stored().settings), ['folder'])
  assert.deepEqual(endpoint.breaches, [])
})

test('on a stop it lets the message on air finish, accepts no other, reports disconnected and exits with 0', async (t) => {
  const { endpoint, run, air } = await openScene(t)
  const agent = run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  endpoint.hand('d1', { guid: 'g1', text: 'parts=2 ms=500' })
  endpoint.hand('d1', { guid: 'g2' })
  await endpoint.until('both accepted', () => endpoint.reports('g2').length > 0)
  assert.equal(await agent.stop(), 0)
  assert.deepEqual(
    air().map(({ guid }) => guid),
    ['g1', 'g1'],
  )
  assert.deepEqual([endpoint.states('g1'), endpoint.states('g2')], [['accepted', 'sent'], ['accepted']])
  const [hello, goodbye] = endpoint.published
    .filter(({ part }) => part === 'status')
    .map(({ payload }) => payload as { status: string; session: string })
  assert.deepEqual([hello?.status, goodbye?.status], ['connected', 'disconnected'])
  assert.equal(hello?.session, goodbye?.session)

  run()
  await endpoint.until('the other is sent', () => endpoint.states('g2').includes('sent'))
})

test('a second agent on the same folder is refused, and names the process that holds it', async (t) => {
  const { endpoint, run, folder } = await openScene(t)
  const first = run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  await eventually('it can be asked', () => first.output().includes('connected to'))
  const second = run()
  assert.equal((await second.ended).status, 1)
  assert.equal(
    second.output(),
    `sdd-agent: An agent (process ${first.child.pid}) runs on ${folder} already: ` +
      'stop it first, or choose another folder with --dir\n',
  )
  assert.equal(await first.stop(), 0)
})

test('several radios are several devices, each with its own messages', async (t) => {
  const uids = ['d1', 'd2', 'd3']
  const { endpoint, run, folder } = await openScene(t, { devices: uids })
  run()
  await endpoint.until('all connected', () => uids.every(endpoint.connected))
  for (const uid of uids) endpoint.hand(uid, { guid: `of-${uid}` })
  await endpoint.until('all sent', () => uids.every((uid) => endpoint.states(`of-${uid}`).includes('sent')))
  for (const uid of uids) {
    assert.deepEqual(
      readAir(join(folder, `radio-${uid}`)).map(({ guid }) => guid),
      [`of-${uid}`],
    )
  }
})

test('a device whose driver this agent lacks is named, and the others run', async (t) => {
  const { endpoint, run, folder } = await openScene(t)
  rewriteDevices(folder, (devices) => [
    ...devices,
    membership('odd', endpoint.mqtt_url, { driver: 'pigeon' }),
  ])
  const agent = run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  assert.match(agent.output(), /odd: this agent has no driver pigeon: link it again with one of scripted/)
})

test('it reconnects by itself when the server is back, logs the reason, and reports stored events', async (t) => {
  const { endpoint, run, receive } = await openScene(t)
  const agent = run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  endpoint.hand('d1', { guid: 'g1', text: 'ms=100' })
  await endpoint.until('accepted', () => endpoint.reports('g1').length > 0)
  await endpoint.restart()
  receive('1', { id: 's1', from: '+34600111222', text: 'while you were away', at: '2026-03-01T10:00:00Z' })
  await endpoint.until('sent', () => endpoint.states('g1').includes('sent'))
  await endpoint.until('the SMS', () => endpoint.inbox().length > 0)
  assert.match(agent.output(), /d1: not connected: [^\n]+; trying again in [1-5] s\n/)
})

test('with an external broker it waits for the ack command of each report', async (t) => {
  const { endpoint, run } = await openScene(t, { acks: 'command' })
  const agent = run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  endpoint.hand('d1', { guid: 'g1' })
  await endpoint.until('sent', () => endpoint.states('g1').includes('sent'))
  await agent.kill()
  run()
  const sent = () => endpoint.reports('g1').filter(({ state }) => state === 'sent')
  await endpoint.until('it says so again', () => sent().length === 2 && endpoint.connected('d1'))
  for (const state of ['accepted', 'sent'])
    endpoint.command('d1', { type: 'ack', guid: 'g1', attempt: 1, state })
  endpoint.hand('d1', { guid: 'g2' })
  await endpoint.until('the next', () => endpoint.states('g2').includes('sent'))
  assert.equal(sent().length, 2)
})

test('it connects over TLS to a trusted certificate, and reports an untrusted one', async (t) => {
  const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
  const [cert, key] = ['localhost.crt', 'localhost.key'].map((name) => readFileSync(fixture(name), 'utf8'))
  const secure = await openEndpoint({ kind: 'tls', cert: cert!, key: key! })
  t.after(() => secure.close())
  const { run, folder } = await openScene(t)
  rewriteDevices(folder, ([device]) => [{ ...device!, mqtt_url: secure.mqtt_url }])
  const wary = run()
  await eventually('its reason', () => wary.output().includes('is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'))
  await wary.kill()
  run({ env: { NODE_EXTRA_CA_CERTS: fixture('localhost.crt') } })
  await secure.until('connected', () => secure.connected('d1'))
})

test('linked with a certificate file it trusts only that file, and says so when the file is gone', async (t) => {
  const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
  const [cert, key] = ['localhost.crt', 'localhost.key'].map((name) => readFileSync(fixture(name), 'utf8'))
  const secure = await openEndpoint({ kind: 'tls', cert: cert!, key: key! })
  t.after(() => secure.close())
  const { run, folder } = await openScene(t)
  const ca_file = join(folder, 'ca.pem')
  rewriteDevices(folder, ([device]) => [{ ...device!, mqtt_url: secure.mqtt_url, ca_file }])
  const agent = run()
  await eventually('its reason', () => agent.output().includes(`the file ${ca_file} of --ca cannot be used`))
  writeFileSync(ca_file, cert!)
  await secure.until('connected', () => secure.connected('d1'))
})

test('its output never has a secret', async (t) => {
  const { endpoint, run } = await openScene(t)
  const agent = run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  endpoint.refuse(5)
  endpoint.cut('d1')
  await eventually('it is refused', () => agent.output().includes('the server refuses d1'))
  assert.equal(await agent.stop(), 0)
  assert.doesNotMatch(agent.output(), /secret of d1/)
})

test('an agent with a full disk acknowledges nothing more, says so, and loses nothing that it accepted', async (t) => {
  const { endpoint, run, air } = await openScene(t)
  const agent = run({ blocks: 300 })
  await endpoint.until('connected', () => endpoint.connected('d1'))
  const guids = Array.from({ length: 60 }, (_, i) => `g${i}`)
  for (const guid of guids) endpoint.hand('d1', { guid, text: 'x'.repeat(4_000) })
  await eventually('it says so', () => agent.output().includes('The disk takes no more'))
  await eventually('nothing more happens', () => endpoint.pubacks.length > 0)
  const accepted = guids.filter((guid) => endpoint.reports(guid).length > 0)
  assert.ok(accepted.length < guids.length)
  await agent.kill()
  run()
  await endpoint.until('all sent', () =>
    guids.every((guid) => endpoint.states(guid).includes('sent') || endpoint.states(guid).includes('failed')),
  )
  const on_air = air().map(({ guid }) => guid)
  assert.equal(new Set(on_air).size, on_air.length)
})
