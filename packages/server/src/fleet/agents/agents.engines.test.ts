import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VERSION } from '@sdd/contract/core/version.ts'
import { testClock } from '#test/clock.ts'
import { openWorld } from '#test/model/world.ts'
import { agentVersions } from './agents.ts'

test('devices are counted by the version of their agent, in the companies of the reader', async (t) => {
  const world = await openWorld(testClock('2026-06-10T08:00:00.000Z'), () => {})
  t.after(() => world.close())
  const connect = async (company_id: number, uid: string, agent: string) => {
    const device_id = await world.link(company_id, uid)
    const from = { connection_id: uid, connection: 1, uid, device_id, company_id }
    await world.status(from, { status: 'connected', session: 's1', agent })
    return from
  }
  await connect(1, 'a', 'sdd-agent/0.0.9')
  await world.cut(await connect(1, 'b', 'sdd-agent/0.0.9'))
  await connect(1, 'c', `sdd-agent/${VERSION}`)
  await connect(1, 'd', 'other/0.0.1')
  await world.link(1, 'e')
  await connect(2, 'f', 'sdd-agent/0.0.9')

  const { newest, agents, releases } = await agentVersions(world, { company_id: 1 })
  assert.equal(newest, VERSION)
  assert.deepEqual(agents, [
    { agent: 'sdd-agent/0.0.9', version: '0.0.9', devices: 2, connected: 1, older: true },
    { agent: null, version: null, devices: 1, connected: 0, older: false },
    { agent: 'other/0.0.1', version: null, devices: 1, connected: 1, older: false },
    { agent: `sdd-agent/${VERSION}`, version: VERSION, devices: 1, connected: 1, older: false },
  ])
  const [latest] = releases
  assert.equal(latest?.version, VERSION, 'the server finds its own changelog')
  assert.ok(latest.changes.some((change) => change.includes('agent')))
  const all = await agentVersions(world, 'all')
  assert.equal(all.agents[0]?.devices, 3)
})
