import assert from 'node:assert/strict'
import { test } from 'node:test'
import { machineClock } from '#agent/clock.ts'
import { membership, temporaryFolder } from '#test/agents.ts'
import { openEndpoint } from '#test/endpoint.ts'
import { openBench } from '#test/ledgers.ts'
import { scriptedKind } from '#test/scripted.ts'
import { openDiskRetry } from './disk-retry.ts'
import { startDevice } from './device.ts'

test('a device whose disk refused many commands gets them again once there is space', async (t) => {
  const endpoint = await openEndpoint()
  t.after(() => endpoint.close())
  const settings = { folder: temporaryFolder(t) }
  const ledger = openBench()
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const diskRetry = openDiskRetry({ clock: machineClock, say })
  const device = await startDevice({
    account: membership('d1', endpoint.mqtt_url),
    openDriver: (keeper) =>
      scriptedKind().open({ settings, keeper, clock: machineClock, say, since: ledger.now() }),
    ledger,
    diskRetry,
    clock: machineClock,
    random: () => 0,
    say,
    last: () => [],
    configure: () => Promise.reject(new Error('no settings')),
    folder: undefined,
  })
  t.after(() => device.stop())
  await endpoint.until('connected', () => endpoint.connected('d1'))
  ledger.room = 0
  const guids = Array.from({ length: 100 }, (_, i) => `g${i}`)
  for (const guid of guids) endpoint.hand('d1', { guid })
  await endpoint.until('the connection ends', () => !endpoint.connected('d1'))
  assert.deepEqual(endpoint.pubacks, [])
  ledger.room = 1e9
  await endpoint.until('all sent', () => guids.every((guid) => endpoint.states(guid).includes('sent')))
  assert.ok(said.some((line) => line.includes('not connected: the disk refused 50 commands')))
})
