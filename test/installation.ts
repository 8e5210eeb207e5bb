import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Behaviour } from '../packages/simulator/src/behaviour.ts'
import type { Faults } from '../packages/simulator/src/faults.ts'
import { type Fleet, startFleet } from '../packages/simulator/src/fleet.ts'
import { linkFleet } from '../packages/simulator/src/link.ts'
import { openSession, prove } from '../scripts/session.ts'
import { newSettings, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'

export type Installation = {
  readonly url: string
  readonly fleet: Fleet
  readonly uids: readonly string[]
  readonly data_dir: string
  /** The API of another server, with the same superadmin. */
  as(url: string): Promise<Pick<Installation, 'api'>>
  /** The process that currently serves; tests start and end it. */
  server: ServerProcess
  /** The same server again, on the same ports and folder. */
  restart(): Promise<void>
  /** Calls the API as the superadmin. */
  api<Body>(path: string, body?: unknown): Promise<{ status: number; body: Body }>
  /** Resolves to the server's exit status. */
  stop(): Promise<number | null>
}

const FLAWLESS = {
  failing: 0,
  blocked: 0,
  unanswered: 0,
  undelivered: 0,
  unreported: 0,
  replying: 0,
  wobble_secs: 0,
}

/** A server in its own process with a linked and connected fleet; `stop` ends everything. */
export async function startInstallation(needs: {
  devices: number
  behaviour: Partial<Behaviour>
  faults?: Partial<Faults>
  max_sms_dayly?: number
  /** Settings of the server, in addition to its own. */
  settings?: Record<string, string>
  /** The maximum size of a file of the server in its first run. */
  most_file_kb?: number
}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-installation-'))
  const settings = await newSettings(folder, { LOG_LEVEL: 'warn', ...needs.settings })
  const { max_sms_dayly, most_file_kb } = needs
  const server = await startProcess(settings, { ...(most_file_kb && { most_file_kb }) })
  const { url } = server
  const token = await openSession(url, SUPERADMIN)
  const api = apiOf(url, token)

  const path = join(folder, 'fleet.json')
  const accounts = await linkFleet({ server_url: url, token, count: needs.devices, prefix: 'drone-', path })
  if (max_sms_dayly !== undefined) {
    for (const { uid } of accounts) await api('/api/device-list-settings', { uid, max_sms_dayly })
  }
  const fleet = await startFleet({
    devices: accounts,
    mqtt_url: accounts[0]!.mqtt_url,
    acks: accounts[0]!.acks,
    ledger_path: join(folder, 'fleet.ledger'),
    behaviour: { ...FLAWLESS, ...needs.behaviour },
    ...(needs.faults && { faults: needs.faults }),
    expectations: { max_sms_dayly: max_sms_dayly ?? 100 },
    seed: 'installation',
  })
  await fleet.connected()

  const installation: Installation = {
    url,
    data_dir: settings.DATA_DIR,
    as: async (other) => ({ api: apiOf(other, await openSession(other, SUPERADMIN)) }),
    fleet,
    uids: accounts.map(({ uid }) => uid),
    server,
    api,
    async restart() {
      installation.server = await startProcess(settings)
    },
    async stop() {
      await fleet.stop()
      const status = await installation.server.stop()
      rmSync(folder, { recursive: true })
      return status
    },
  }
  return installation
}

function apiOf(url: string, token: string): Installation['api'] {
  return async <Body>(path: string, body?: unknown) => {
    const ask = () =>
      fetch(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    let response = await ask()
    // The session's proof has expired after 5 minutes.
    if (response.status === 403) {
      await prove(url, token, SUPERADMIN)
      response = await ask()
    }
    return { status: response.status, body: (await response.json()) as Body }
  }
}
