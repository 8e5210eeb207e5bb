import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import type { Telemetry } from '@sdd/contract/fleet/telemetry.ts'
import { openTime } from '#test/time.ts'
import type { Connection } from './connection.ts'
import { startTelemetry } from './telemetry.ts'

function begin(telemetry?: () => Promise<Omit<Telemetry, 'at'>>, folder?: string) {
  const time = openTime()
  const said: Telemetry[] = []
  const first = Promise.withResolvers<Telemetry>()
  const driver = telemetry ? { telemetry } : {}
  const reporter = startTelemetry({ uid: 'd1', driver, clock: time, folder })
  const connection: Connection = {
    opened: Promise.resolve(),
    leave: () => Promise.resolve(),
    publish(topic, payload) {
      assert.equal(topic, 'devices/d1/telemetry')
      const telemetry = JSON.parse(payload) as Telemetry
      said.push(telemetry)
      first.resolve(telemetry)
      return Promise.resolve()
    },
  }
  return { time, said, reporter, connection, first: first.promise }
}

test('what the driver knows is published once a minute while the device is connected', async () => {
  const { time, said, reporter, connection } = begin(() => Promise.resolve({ battery: 80, charging: true }))
  await time.pass(120_000)
  assert.equal(said.length, 0)
  reporter.opened(connection)
  await time.pass(180_000)
  assert.equal(said.length, 3)
  assert.deepEqual({ ...said[0]!, at: '' }, { at: '', battery: 80, charging: true })
  reporter.closed()
  await time.pass(120_000)
  assert.equal(said.length, 3)
  reporter.stop()
})

test('the free space of the folder is known without the driver, and a device that knows nothing is silent', async () => {
  const disk = begin(() => Promise.reject(new Error('the phone does not answer')), tmpdir())
  disk.reporter.opened(disk.connection)
  await disk.time.pass(6_000)
  assert.ok((await disk.first).disk_free_mb! >= 0)
  const silent = begin()
  silent.reporter.opened(silent.connection)
  await silent.time.pass(180_000)
  assert.deepEqual(silent.said, [])
})
