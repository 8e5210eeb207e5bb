import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { actsOf, connectAt } from '../packages/server/test/at-broker.ts'
import { eventually } from '../packages/server/test/device.ts'
import { newDatabase } from '../packages/server/test/engine.ts'
import { startMosquitto } from '@sdd/mqtt/test/mosquitto.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { newSettings, PASSWORD, startProcess } from './server-process.ts'

/** Everything that a dead server held, including its lease, is another's within this time. */
const TAKEN_MS = 40_000

test('killing the server that tracks presence, of two at a broker, loses no message, and no device counts as gone', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'sdd-external-'))
  t.after(() => rmSync(home, { recursive: true }))
  const broker = await startMosquitto({ clients: 'known' })
  t.after(() => broker.stop())
  const settings = { MQTT_URL: broker.url, DATABASE_URL: await newDatabase() }
  const dying = await startProcess(await newSettings(home, settings))
  const other = await startProcess(await newSettings(home, settings))
  t.after(() => other.stop())
  const { token } = await enter(dying, 'superadmin', PASSWORD)
  const { link, send, status, entry, device: shown } = actsOf(other, token)
  const device = await connectAt(await link('stays'))
  await status('stays', 'connected', TAKEN_MS)
  const guids: string[] = []
  for (let i = 0; i < 10; i++) guids.push((await send('stays')).body.guid)
  for (const guid of guids) await device.given(guid)

  const seen = new Set<string | undefined>()
  const looking = setInterval(() => void shown('stays').then((row) => seen.add(row?.status)), 50)
  await dying.kill()
  // The broker assigns half of these to a session without a client.
  for (const guid of guids) await device.report({ guid, state: 'sent' })
  const late = await connectAt(await link('comes'))
  await status('comes', 'connected', TAKEN_MS)
  for (const guid of guids) await eventually(() => device.acks().includes(`${guid} sent`), TAKEN_MS)
  clearInterval(looking)
  for (const guid of guids) assert.equal((await entry(guid)).state, 'sent')
  assert.equal(device.sends().length, guids.length, 'each was given once')
  assert.deepEqual([...seen], ['connected'])
  await Promise.all([device.stop(), late.stop()])
})
