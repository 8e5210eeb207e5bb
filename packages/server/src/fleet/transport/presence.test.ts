import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pino } from 'pino'
import { systemClock } from '#server/core/clock.ts'
import { openDatabase } from '#server/database/open.ts'
import { openPresence } from '#server/fleet/presence/presence.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'
import { openPeers } from '#server/core/replicas/replicas.ts'
import { eventually } from '#test/device.ts'
import { AT_BROKER, openBrokerPresence } from './presence.ts'

const UIDS = ['there', 'silent', 'back']

/** Three devices, the first two stored as connected, and a server that has not begun to listen. */
async function begin(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-at-broker-'))
  const db = await openDatabase({ folder })
  await db.write(async (tx) => {
    await tx.insertRow('companies', { id: 1, name: 'one', created_at: '' })
    for (const uid of UIDS) {
      const known = {
        uid,
        company_id: 1,
        secret_hash: '',
        created_at: '',
        enabled: 1,
        enabled_at: '',
      } as const
      const connected = { status: 'connected', replica: AT_BROKER, session: `s-${uid}` } as const
      const device_id = await tx.insertRow('devices', {
        ...known,
        status: 'disconnected',
        ...(uid !== 'back' && connected),
        status_at: '',
        max_sms_dayly: 1,
      })
      await tx.insert('capacity', [{ device_id }])
    }
  })
  const announced: string[] = []
  const live = {
    changed() {},
    deviceStatus: (_: number, uid: string, status: string) => void announced.push(`${uid} ${status}`),
    stop() {},
  }
  const asked: string[] = []
  /** The connection by which devices are asked. */
  const link = { open: true }
  const presence = openBrokerPresence({
    db,
    live,
    clock: systemClock('UTC'),
    peers: openPeers(undefined),
    log: pino({ level: 'silent' }),
    answer_ms: 2_000,
    toDevice(uid, command) {
      if (!link.open) return false
      asked.push(`${uid} ${command.type}`)
      return true
    },
  })
  t.after(async () => {
    presence.stop()
    await db.close()
    rmSync(folder, { recursive: true })
  })
  const row = async (uid: string) => (await deviceStore(db.read, 'all').byUid(uid))!
  const from = async (uid: string) => {
    const { id: device_id, company_id } = await row(uid)
    return { connection_id: AT_BROKER, connection: await presence.number(), uid, device_id, company_id }
  }
  const needs = {
    db,
    live,
    clock: systemClock('UTC'),
    peers: openPeers(undefined),
    replica: { id: () => AT_BROKER },
  }
  const store = openPresence(needs)
  const say = async (uid: string, status: 'connected' | 'disconnected', session: string) =>
    store(await from(uid), { status, session })
  return {
    db,
    presence,
    asked,
    announced,
    link,
    from,
    say,
    status: async (uid: string) => (await row(uid)).status,
  }
}

test('a server that begins to listen asks every device: those that answer are connected, and silent ones are not', async (t) => {
  const { presence, asked, announced, from, status } = await begin(t)
  presence.begin()
  await presence.ask()
  assert.deepEqual(asked.toSorted(), ['back networks', 'silent networks', 'there networks'])
  assert.equal(await presence.heard(await from('there')), false)
  assert.equal(await presence.heard(await from('back')), true)
  await eventually(() => announced.length === 2)
  const now = await Promise.all(UIDS.map(status))
  assert.deepEqual(now, ['connected', 'disconnected', 'connected'])
  assert.deepEqual(announced, ['back connected', 'silent disconnected'])
})

test('a device known only by its answer is disconnected by the status of any of its sessions', async (t) => {
  const { presence, from, say, status } = await begin(t)
  presence.begin()
  await presence.ask()
  await presence.heard(await from('back'))
  await say('back', 'disconnected', 'of which nobody has heard')
  assert.equal(await status('back'), 'disconnected')
})

test('a device that reconnects while it is asked is connected, whatever its old connection still publishes', async (t) => {
  const { presence, say, status } = await begin(t)
  presence.begin()
  await presence.ask()
  await say('silent', 'connected', 's-new')
  await say('silent', 'disconnected', 's-silent')
  await eventually(async () => (await status('there')) === 'disconnected')
  assert.equal(await status('silent'), 'connected')
})

test('a late answer to a server that listened earlier changes nothing that was heard since', async (t) => {
  const { presence, from, say, status } = await begin(t)
  presence.begin()
  await presence.ask()
  const before = await from('there')
  presence.begin()
  await presence.ask()
  await say('there', 'connected', 's-new')
  await say('there', 'disconnected', 's-new')
  assert.equal(await presence.heard(before), false)
  assert.equal(await status('there'), 'disconnected')
})

test('devices are asked once the connection for that is there, and then have their time to answer', async (t) => {
  const { presence, asked, announced, from, link } = await begin(t)
  link.open = false
  presence.begin()
  await presence.ask()
  assert.deepEqual(asked, [])
  link.open = true
  await eventually(() => asked.length === 3)
  await presence.heard(await from('there'))
  await eventually(() => announced.length > 0)
  assert.deepEqual(announced, ['silent disconnected'])
})

test('a server that loses the lead while it looks for the devices asks none', async (t) => {
  const { presence, asked } = await begin(t)
  presence.begin()
  const asking = presence.ask()
  presence.stop()
  await asking
  assert.deepEqual(asked, [])
})

test('an answer keeps what the device can do', async (t) => {
  const { db, presence, from, status } = await begin(t)
  const abilities = JSON.stringify(['ussd'])
  await db.write((tx) => tx.update('devices', { uid: 'back' }, { abilities }))
  presence.begin()
  await presence.heard(await from('back'))
  assert.equal(await status('back'), 'connected')
  const [row] = await db.read.query<{ abilities: string }>(`select abilities from devices where uid = 'back'`)
  assert.equal(row!.abilities, abilities)
})
