import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { saveGlobalSettings } from '../packages/contract/src/accounts/settings.ts'
import type { Parsed, Route, Schema } from '../packages/contract/src/core/route.ts'
import { type LinkedDevice, listDevices } from '../packages/contract/src/fleet/devices.ts'
import { saveAlertSettings } from '../packages/contract/src/outward/alerts.ts'
import { eventually, linkTestDevice } from '../packages/server/test/device.ts'
import { startMailServer } from '../packages/server/test/mail-server.ts'
import { startReceiver } from '../packages/server/test/receiver.ts'
import { call } from '../packages/server/test/server.ts'
import { ROOT } from '../scripts/run.ts'
import { openSession } from '../scripts/session.ts'
import { openMortalServer } from './mortal-server.ts'
import { SUPERADMIN } from './server-process.ts'
import { startSteadyDevice } from './steady-device.ts'

export type AlertedWorld = Awaited<ReturnType<typeof openAlertedWorld>>

export const OPERATOR = '+34600999888'

/** A server that is killed at chosen steps, two devices, and the other systems that its alerts go to. */
export async function openAlertedWorld(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'sdd-alerted-'))
  t.after(() => rmSync(home, { recursive: true }))
  /** The free space of the disk, in MiB. */
  const free = join(home, 'free')
  writeFileSync(free, '5000')
  const http = await startReceiver(async (_, response) => {
    if (await server.received()) response.writeHead(200).end('{}')
  })
  t.after(() => http.stop())
  const mail = await startMailServer({ authOptional: true }, async () => void (await server.received()))
  t.after(() => mail.stop())
  const server = await openMortalServer(home, ['little-disk'], {
    CALLBACK_ADDRESSES: 'any',
    SMTP_URL: `smtp://${mail.address}`,
    SMTP_FROM: 'alerts@fleet.example',
    FREE_MIB: free,
  })
  t.after(() => server.stop())
  const devices: ReturnType<typeof startSteadyDevice>[] = []
  const accounts = new Map<string, LinkedDevice>()
  const started: string[] = []
  const start = () => server.start(async () => started.length === 0 || (await areConnected()))
  await start()
  const token = await openSession(server.url, SUPERADMIN)

  async function ask<R extends Route & { reply: Schema }>(route: R, input: Parameters<typeof call<R>>[2]) {
    const answer = await call(server, route, { token, ...input })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body as Parsed<R['reply']>
  }

  /** A device knows of its connection before the server has stored it. */
  async function areConnected(): Promise<boolean> {
    if (!devices.every((device) => device.connected())) return false
    try {
      const listed = (await ask(listDevices, {})).devices
      return started.every((uid) => listed.some((one) => one.uid === uid && one.status === 'connected'))
    } catch {
      // It was killed, or answers not yet.
      return false
    }
  }

  async function link(uid: string): Promise<LinkedDevice> {
    const account = await linkTestDevice(server, token, uid)
    accounts.set(uid, account)
    return account
  }

  async function startDevice(uid: string, iccid: string) {
    const device = startSteadyDevice(accounts.get(uid)!, iccid)
    t.after(() => device.stop())
    devices.push(device)
    started.push(uid)
    await start()
    return device
  }

  await ask(saveAlertSettings, { body: { join_secs: 0 } })
  await ask(saveGlobalSettings, { body: { spoof_time_secs: 0, send_enabled: true } })
  await link('roof')
  await link('cellar')
  const roof = await startDevice('roof', '8934071234567890123')
  await startDevice('cellar', '8934071234567890124')

  return {
    server,
    start,
    /** Resolves when the server has been killed, and its devices have noticed. */
    async dead(): Promise<void> {
      await server.dead()
      await eventually(() => devices.every((device) => !device.connected()))
    },
    ask,
    link,
    roof,
    free,
    http,
    /** A device that was killed runs again. */
    restartDevice: (uid: string) => startDevice(uid, '8934071234567890125'),
    posts: (path: string) =>
      http.received
        .filter((one) => one.path === path)
        .map(({ text, headers }) => ({
          text: text.startsWith('{') ? (JSON.parse(text) as { text: string }).text : text,
          id: headers['webhook-id'],
        })),
    mails: () =>
      mail.received.map(({ text }) => ({
        text: text.slice(text.indexOf('\r\n\r\n') + 4).trim(),
        id: /^Message-ID: (.*)\r$/m.exec(text)![1],
      })),
    texts: () => devices.flatMap(({ onAir }) => onAir.filter(({ to }) => to === OPERATOR)),
  }
}

/** A device in a process of its own, which has connected. */
export async function startDeviceProcess(t: TestContext, account: LinkedDevice) {
  const program = join(ROOT, 'packages/server/test/device-process.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(account)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}
