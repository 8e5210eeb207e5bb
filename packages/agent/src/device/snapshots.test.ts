import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Networks } from '@sdd/contract/fleet/devices.ts'
import { sleep } from '#agent/clock.ts'
import { openTime } from '#test/time.ts'
import type { Connection } from './connection.ts'
import { openSnapshots } from './snapshots.ts'

function openMast() {
  const time = openTime()
  const told: number[] = []
  const mast = { intensity: -70, ready: true, read_ms: 0 }
  const radios: string[] = []
  const networks = (): Networks => ({
    wifi: null,
    mobile: { intensity: mast.intensity, captured_at: new Date(time.now()).toISOString(), sims: [] },
  })
  const snapshots = openSnapshots({
    uid: 'd1',
    driver: {
      async networks() {
        const read = networks()
        if (mast.read_ms > 0) await sleep(time, mast.read_ms)
        return read
      },
      radio: () => ({
        ready: mast.ready,
        says: mast.ready ? 'Registered.' : 'No network.',
        last_sent_at: null,
      }),
    },
    clock: time,
    say: () => undefined,
  })
  const connection: Connection = {
    opened: Promise.resolve(),
    leave: () => Promise.resolve(),
    publish(_, payload) {
      const { mobile, radio } = JSON.parse(payload) as Networks
      told.push(mobile!.intensity as number)
      radios.push(radio!.says)
      return Promise.resolve()
    },
  }
  return { time, told, radios, mast, snapshots, connection }
}

test('the networks are published on connecting, on request, and at least every 15 minutes', async () => {
  const { time, told, snapshots, connection } = openMast()
  snapshots.opened(connection)
  await time.pass(0)
  snapshots.publish()
  await time.pass(0)
  assert.equal(told.length, 2)
  await time.pass(60 * 60_000)
  assert.equal(told.length, 6)
})

test('a change is published once it has settled, and an unchanged snapshot is not', async () => {
  const { time, told, mast, snapshots, connection } = openMast()
  snapshots.opened(connection)
  await time.pass(0)
  snapshots.changed()
  await time.pass(10_000)
  assert.deepEqual(told, [-70])
  for (const intensity of [-80, -81, -82]) {
    mast.intensity = intensity
    snapshots.changed()
    await time.pass(1_000)
  }
  await time.pass(10_000)
  assert.deepEqual(told, [-70, -82])
})

test('without a connection nothing is published; the next one begins with a snapshot', async () => {
  const { time, told, mast, snapshots, connection } = openMast()
  mast.intensity = -90
  snapshots.changed()
  await time.pass(20 * 60_000)
  assert.deepEqual(told, [])
  snapshots.opened(connection)
  await time.pass(0)
  assert.deepEqual(told, [-90])
})

test('a radio that loses its network is reported with the snapshot, though the connection stays', async () => {
  const { time, radios, mast, snapshots, connection } = openMast()
  snapshots.opened(connection)
  await time.pass(0)
  mast.ready = false
  snapshots.changed()
  await time.pass(10_000)
  assert.deepEqual(radios, ['Registered.', 'No network.'])
})

test('a snapshot that is asked for while another is being read is taken after it', async () => {
  const { time, told, mast, snapshots, connection } = openMast()
  mast.read_ms = 3_000
  snapshots.opened(connection)
  await time.pass(1_000)
  mast.intensity = -80
  snapshots.publish()
  snapshots.publish()
  await time.pass(10_000)
  assert.deepEqual(told, [-70, -80])
})

test('a connection that opens while a snapshot is being read begins with a snapshot of its own', async () => {
  const { time, told, mast, snapshots, connection } = openMast()
  mast.read_ms = 3_000
  snapshots.opened(connection)
  await time.pass(1_000)
  snapshots.closed()
  mast.intensity = -80
  snapshots.opened(connection)
  await time.pass(10_000)
  assert.equal(told.at(-1), -80)
})

test('a change while a snapshot is being read is published after it, and no change is not', async () => {
  const { time, told, mast, snapshots, connection } = openMast()
  mast.read_ms = 10_000
  snapshots.opened(connection)
  snapshots.changed()
  await time.pass(1_000)
  mast.intensity = -80
  await time.pass(60_000)
  assert.deepEqual(told, [-70, -80])
  snapshots.changed()
  await time.pass(6_000)
  snapshots.changed()
  await time.pass(60_000)
  assert.deepEqual(told, [-70, -80])
})
