import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, openScene, rewriteDevices, temporaryFolder } from '#test/agents.ts'
import { openTerminal } from '#test/terminal.ts'

test('doctor reports good findings about the folder, the server and the radio', async (t) => {
  const { endpoint, folder, radio } = await openScene(t)
  rewriteDevices(folder, ([device]) => [{ ...device!, settings: { folder: radio, pin: '1234' } }])
  const { status, printed } = await openTerminal(t, folder)('doctor')
  const { host } = new URL(endpoint.mqtt_url)
  const lines = printed.split('\n')
  assert.match(lines[0]!, /^sdd-agent \d+\.\d+\.\d+, folder /)
  assert.match(lines[1]!, /^ {2}good {2}\d+ MiB are free$/)
  assert.deepEqual(lines.slice(2), [
    '  note  the agent does not run',
    '        Start it: sdd-agent run',
    `d1: scripted, --folder ${radio}, --pin hidden`,
    `  good  the server at ${host} accepts it`,
    '  good  the test radio is ready',
    'Nothing is wrong.',
  ])
  assert.equal(status, 0)
  assert.deepEqual(endpoint.published, [])
})

test('doctor reports each fault with its remedy, and its exit status too', async (t) => {
  const { endpoint, folder } = await openScene(t)
  endpoint.refuse(5)
  chmodSync(join(folder, 'devices.json'), 0o644)
  rewriteDevices(folder, ([device]) => [device!, { ...device!, uid: 'odd', driver: 'pigeon' }])
  const { status, printed } = await openTerminal(t, folder)('doctor')
  assert.equal(status, 1)
  for (const wrong of [
    'WRONG other users of this machine can read the secrets\n        chmod 600 ',
    'WRONG the server refuses d1: it was unlinked, or its secret was renewed. Link it again\n',
    "WRONG this agent has no driver pigeon\n        Run 'sdd-agent forget odd', then link it again.",
    '4 things are wrong.',
  ]) {
    assert.ok(printed.includes(wrong), `${wrong} is missing in\n${printed}`)
  }
})

test('a running agent is asked for the state of its devices, and keeps its connection', async (t) => {
  const { endpoint, folder, radio, run } = await openScene(t)
  const agent = run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  await eventually('it says so', () => agent.output().includes('connected to'))
  const type = openTerminal(t, folder)
  const well = await type('doctor')
  assert.equal(well.status, 0)
  assert.match(well.printed, new RegExp(`the agent runs \\(version [\\d.]+, process ${agent.child.pid}\\)`))
  assert.match(
    well.printed,
    /good {2}connected to 127\.0\.0\.1:\d+\n {2}good {2}scripted radio: registered\n {2}good {2}signal -70 dBm/,
  )
  writeFileSync(join(radio, 'no-network'), '')
  endpoint.hand('d1', { guid: 'g1' })
  await endpoint.until('accepted', () => endpoint.states('g1').includes('accepted'))
  const poor = await type('doctor')
  assert.equal(poor.status, 1)
  assert.match(poor.printed, /WRONG scripted radio: no network\n[^\n]+\n[^]*note {2}1 to send/)
  assert.equal(endpoint.connects.length, 1)
})

test('without a device doctor says how to begin', async (t) => {
  const { status, printed } = await openTerminal(t, temporaryFolder(t))('doctor')
  assert.equal(status, 1)
  assert.match(
    printed,
    /WRONG no device is linked\n {8}Press 'Link device' in the console, then: sdd-agent link --help/,
  )
})
