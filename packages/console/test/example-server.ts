import { after, beforeEach } from 'node:test'
import type { Device } from '@sdd/contract/fleet/devices.ts'
import { SENT_VIA_MQTT } from '@sdd/contract/messages/messages.ts'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import { accountAnswers, CODE } from './example-account.ts'
import { exampleDashboard } from './example-dashboard.ts'
import { staffAnswers, taskRecord } from './example-staff.ts'
import { systemsAnswers } from './example-systems.ts'
import { exampleAttempt, exampleDevices, exampleLogs, exampleNetworks } from './examples.ts'
import { openStandIn, type StandIn } from './stand-in.ts'

export type ExampleServer = StandIn & { devices: Device[]; logs: LogEntry[] }

/** A stand-in with an example fleet: pages, filters and switches work, but nothing is stored. */
export async function openExampleServer(
  spec: { devices?: number; logs?: number; port?: number; dist?: string } = {},
): Promise<ExampleServer> {
  const devices = exampleDevices(spec.devices ?? 48)
  const logs = exampleLogs(spec.logs ?? 450, devices.length)
  const standIn = await openStandIn(
    {
      ...staffAnswers(() => standInData.devices),
      ...systemsAnswers(),
      ...accountAnswers(),
      'POST /api/login': ({ body }) => {
        const form = new URLSearchParams(body)
        if (form.get('password') === 'wants a code' && form.get('code') !== CODE) {
          const code = form.get('code') ? 'bad_code' : 'second_factor_required'
          return { status: 401, body: { detail: 'A code is needed.', code } }
        }
        if (!['correct', 'wants a code'].includes(form.get('password') ?? ''))
          return { status: 401, body: { detail: 'no' } }
        return { body: { access_token: 'token-1', token_type: 'bearer', role: 'superadmin', id: 1 } }
      },
      'POST /api/logout': { status: 204 },
      'GET /api/user/*': {
        body: { id: 1, name: 'superadmin', email: 'a@b.c', role: 'superadmin', enabled: true },
      },
      'GET /api/device-list': () => ({ body: { devices: standInData.devices } }),
      'GET /api/device/*/networks': { body: exampleNetworks },
      'POST /api/enable-device/*': ({ path }) => enable(path, true),
      'POST /api/disable-device/*': ({ path }) => enable(path, false),
      'POST /api/device-send-sms': { body: { status: SENT_VIA_MQTT, guid: 'guid-1' } },
      'GET /api/dashboard': { body: exampleDashboard() },
      'GET /api/logs/devices': ({ query }) => ({ body: page(standInData.logs, query) }),
      'GET /api/logs/queue/guid/*': ({ path }) => {
        const row = standInData.logs.find(({ guid }) => guid === path.split('/').at(-1))
        if (!row) return taskRecord(path)
        return {
          body: {
            ...row,
            queued_by: 'Ana Ruiz',
            attempt_1: `${row.device_guid} · given ${row.queue_timestamp}`,
            attempt_details: [exampleAttempt(row)],
          },
        }
      },
    },
    spec,
  )

  function enable(path: string, enabled: boolean) {
    const uid = path.split('/').at(-1) ?? ''
    standInData.devices = standInData.devices.map((device) =>
      device.uid === uid ? { ...device, enabled } : device,
    )
    return { body: { uid, enabled } }
  }

  const standInData = Object.assign(standIn, { devices, logs })
  return standInData
}

/** One server for the tests of a file. Each test starts with the usual answers and an empty list of calls. */
export async function useExampleServer(): Promise<ExampleServer> {
  const server = await openExampleServer()
  const { answers } = server
  beforeEach(() => {
    server.answers = { ...answers }
    server.asked.length = 0
  })
  after(() => server.stop())
  return server
}

function page(logs: readonly LogEntry[], query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 500)
  const cursor = Number(query.get('cursor') ?? Number.POSITIVE_INFINITY)
  const search = query.get('search') ?? ''
  const matching = logs.filter(
    (row) =>
      row.id < cursor &&
      (row.guid.startsWith(search) || row.message_to.includes(search) || row.message.includes(search)) &&
      [row.state, null].includes(query.get('state') as LogEntry['state']) &&
      [row.device_guid, null].includes(query.get('device_uid')) &&
      (query.get('errors') !== 'true' || row.error !== null),
  )
  const shown = matching.slice(0, limit)
  return { logs: shown, next_cursor: matching.length > limit ? String(shown.at(-1)?.id) : null }
}

if (import.meta.main) {
  const { url } = await openExampleServer({ port: Number(process.env.PORT ?? 0) })
  console.log(`The console with example data: ${url}/login (password: correct)`)
}
