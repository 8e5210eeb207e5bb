import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startFleet } from '../packages/simulator/src/fleet.ts'
import { linkFleet } from '../packages/simulator/src/link.ts'
import { freePort, startProcess } from './server-process.ts'

const KILLS = 20
const DEVICES = 20
const SENDERS = 6

test('a server killed 20 times under traffic loses nothing that it acknowledged and sends nothing twice', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-kill-'))
  const settings = {
    PORT: await freePort(),
    MQTT_PORT: await freePort(),
    DATA_DIR: folder,
    ADMIN_PASSWORD: 'correct horse battery',
    LOG_LEVEL: 'warn',
  }
  let server = await startProcess(settings)
  const api = openApi(server.url)
  await api.login('superadmin', settings.ADMIN_PASSWORD)
  const accounts = await linkFleet({
    server_url: server.url,
    token: api.token(),
    count: DEVICES,
    prefix: 'drone-',
    path: join(folder, 'fleet.json'),
  })
  const uids = accounts.map(({ uid }) => uid)
  for (const uid of uids) await api.post('/api/device-list-settings', { uid, max_sms_dayly: 100_000 })
  const fleet = await startFleet({
    devices: accounts,
    mqtt_url: `mqtt://127.0.0.1:${settings.MQTT_PORT}`,
    ledger_path: join(folder, 'fleet.ledger'),
    behaviour: { ...FLAWLESS, send_ms: [1, 30], delivery_ms: [5, 100], reconnect_ms: [20, 200] },
    faults: { repeat_report: 0.05, reorder_report: 0.05 },
    expectations: { max_sms_dayly: 100_000 },
    seed: 'kill',
  })
  await fleet.connected()

  const acknowledged = new Set<string>()
  let sending = true
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = 0; sending; n++) {
      const sms = {
        device_uid: uids[(sender + n * SENDERS) % uids.length],
        telefono_to: `+3460${sender}${String(n).padStart(6, '0')}`,
        mensaje_sms: `message ${n} of sender ${sender}`,
      }
      const answer = await api.post('/api/device-send-sms', sms).catch(() => undefined)
      if (answer?.status === 200) acknowledged.add(answer.body.guid)
      else await wait(20)
    }
  })
  for (let kill = 0; kill < KILLS; kill++) {
    await wait(100 + Math.random() * 500)
    await server.kill()
    server = await startProcess(settings)
  }
  await wait(300)
  sending = false
  await Promise.all(senders)

  const log = await settled(api)
  const states = new Map(log.map((entry) => [entry.guid, entry.state]))
  const lost = [...acknowledged].filter((guid) => !states.has(guid))
  assert.deepEqual(lost, [], 'acknowledged and lost')
  assert.ok(
    acknowledged.size > KILLS * 5,
    `only ${acknowledged.size} messages were acknowledged: too few to tell`,
  )

  const onAir = fleet.onAir()
  t.diagnostic(
    `${acknowledged.size} acknowledged, ${log.length} stored, ${onAir.size} on air, ${KILLS} kills`,
  )
  const twice = [...onAir].filter(([, times]) => times > 1)
  assert.deepEqual(twice, [], 'on air more than once')
  const untrue = log.filter(
    ({ guid, state }) => onAir.has(guid) !== ['sent', 'delivered', 'replied'].includes(state),
  )
  assert.deepEqual(untrue, [], 'shown in a state that is not what happened')
  assert.deepEqual(fleet.breaches(), [])

  await fleet.stop()
  assert.equal(await server.stop(), 0, server.output())
  rmSync(folder, { recursive: true })
})

const FLAWLESS = {
  failing: 0,
  blocked: 0,
  unanswered: 0,
  undelivered: 0,
  unreported: 0,
  replying: 0,
  wobble_secs: 0,
}

type Entry = { guid: string; state: string; waiting_for: string | null }
type Body = { access_token: string; guid: string; logs: Entry[]; next_cursor: string | null }
type Api = ReturnType<typeof openApi>

/** The whole log, once nothing in it waits any more. */
async function settled(api: Api): Promise<Entry[]> {
  const end = Date.now() + 60_000
  for (;;) {
    const log = await wholeLog(api)
    const open = log.filter(({ state }) => state !== 'delivered')
    if (open.length === 0) return log
    assert.ok(Date.now() < end, `still open: ${JSON.stringify(open.slice(0, 5), null, 2)}`)
    await wait(250)
  }
}

async function wholeLog(api: Api): Promise<Entry[]> {
  const log: Entry[] = []
  for (let cursor = ''; ;) {
    const { body } = await api.get(`/api/logs/devices?limit=1000${cursor && `&cursor=${cursor}`}`)
    log.push(...body.logs)
    if (body.next_cursor === null) return log
    cursor = body.next_cursor
  }
}

function openApi(url: string) {
  let token = ''
  const call = async (path: string, init: RequestInit) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { ...init, headers })
    return { status: response.status, body: (await response.json()) as Body }
  }
  return {
    token: () => token,
    async login(username: string, password: string) {
      const body = new URLSearchParams({ username, password })
      const response = await fetch(`${url}/api/login`, { method: 'POST', body })
      token = ((await response.json()) as Body).access_token
    },
    get: (path: string) => call(path, {}),
    post: (path: string, body: unknown) => call(path, { method: 'POST', body: JSON.stringify(body) }),
  }
}
