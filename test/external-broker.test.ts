import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { actsOf, connectAt } from '../packages/server/test/at-broker.ts'
import { startMosquitto } from '@sdd/mqtt/test/mosquitto.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { newSettings, PASSWORD, startProcess } from './server-process.ts'
import { killUnderTraffic } from './traffic.ts'

const home = mkdtempSync(join(tmpdir(), 'sdd-external-'))
after(() => rmSync(home, { recursive: true }))

const END_AT = pathToFileURL(join(import.meta.dirname, '../tools/torture/end-at.ts')).href

test('a report that a killed server received but did not commit is redelivered to the next and counts once', async (t) => {
  const broker = await startMosquitto({ clients: 'known' })
  t.after(() => broker.stop())
  const settings = await newSettings(home, { MQTT_URL: broker.url })
  const dying = {
    ...settings,
    NODE_OPTIONS: `--import=${END_AT}`,
    TORTURE: JSON.stringify({ place: 'reporting', nth: 1 }),
  }
  const first = await startProcess(dying)
  const { token } = await enter(first, 'superadmin', PASSWORD)
  const device = await connectAt(await actsOf(first, token).link('d1'))
  await actsOf(first, token).status('d1', 'connected')
  const { guid } = (await actsOf(first, token).send('d1')).body
  await device.given(guid)
  const died = new Promise((resolve) => first.child.once('exit', (_, signal) => resolve(signal)))
  // From here on the broker has it; the device sends it only this once.
  await device.report({ guid, state: 'sent' })
  assert.equal(await died, 'SIGKILL')
  assert.deepEqual(device.acks(), [])

  const second = await startProcess(settings)
  t.after(() => second.stop())
  const { entry, status } = actsOf(second, token)
  await device.acked(guid, 'sent')
  assert.equal((await entry(guid)).state, 'sent')
  await status('d1', 'connected')
  assert.deepEqual(device.acks(), [`${guid} sent`])
  await device.stop()
})

test('killing the server and restarting the broker in turn under traffic loses nothing acknowledged and sends nothing twice', async (t) => {
  const broker = await startMosquitto({ clients: 'known' })
  t.after(() => broker.stop())
  await killUnderTraffic(t, {
    kills: 2,
    settings: { MQTT_URL: broker.url },
    // The broker delays reports for the absent server, for an unknown time.
    tolerates: 'resent_too_soon',
    async kill(installation, kill) {
      if (kill % 2 === 1) {
        await broker.shutDown()
        return broker.start()
      }
      await installation.server.kill()
      await installation.restart()
    },
  })
})
