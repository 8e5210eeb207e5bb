import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { actsOf, connectAt, startAt } from './at-broker.ts'
import { forgetDatabase } from './engine.ts'
import { startMosquitto } from '@sdd/mqtt/test/mosquitto.ts'
import { startServer } from './server.ts'

test('a starting server learns what devices did while no server was running', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-external-'))
  const broker = await startMosquitto({ clients: 'known' })
  t.after(async () => {
    await broker.stop()
    await forgetDatabase(folder)
    rmSync(folder, { recursive: true })
  })
  const first = await startAt(broker, { folder })
  const [stays, leaves, comes] = await Promise.all(['stays', 'leaves', 'comes'].map(first.link))
  const staying = await connectAt(stays!)
  const leaving = await connectAt(leaves!)
  await first.status('stays', 'connected')
  await first.status('leaves', 'connected')
  const { guid } = (await first.send('stays')).body
  await staying.given(guid)
  await first.server.stop()

  leaving.vanish()
  const coming = await connectAt(comes!)
  await staying.report({ guid, state: 'sent' })

  const second = await startServer({ folder, settings: { MQTT_URL: broker.url } })
  t.after(() => second.stop())
  const { status, entry } = actsOf(second, first.token)
  await staying.acked(guid, 'sent')
  await status('comes', 'connected', 15_000)
  await status('stays', 'connected')
  await status('leaves', 'disconnected')
  if ((await entry(guid)).state !== 'sent') throw new Error('the report was lost')
  await Promise.all([staying.stop(), coming.stop()])
  await status('stays', 'disconnected')
})
