import { after, beforeEach } from 'node:test'
import { changedBy } from '#console/fleet/devices/calls.ts'
import type { DevicesChange } from '@sdd/contract/fleet/device-changes.ts'
import type { Device } from '@sdd/contract/fleet/devices.ts'
import { devicesStatus, StatusChange } from '@sdd/contract/core/live.ts'
import { SENT_VIA_MQTT } from '@sdd/contract/messages/messages.ts'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import { campaignAnswers } from './example-campaigns.ts'
import { contactAnswers } from './example-contacts.ts'
import { alertAnswers } from './example-alerts.ts'
import { accountAnswers, CODE } from './example-account.ts'
import { exampleDetail, exampleHistory, exampleOrders } from './example-device.ts'
import { routeAnswers } from './example-routes.ts'
import { draftAnswers } from './example-draft.ts'
import { exampleDashboard } from './example-dashboard.ts'
import { staffAnswers, taskRecord } from './example-staff.ts'
import { peopleAnswers } from './example-people.ts'
import { systemsAnswers } from './example-systems.ts'
import { exampleAgents, exampleAttempt, exampleDevices, exampleLogs, exampleNetworks } from './examples.ts'
import { openStandIn, type StandIn } from './stand-in.ts'

export type ExampleServer = StandIn & { devices: Device[]; logs: LogEntry[] }

/** A stand-in with an example fleet: pages, filters and switches work, but only changes of devices are stored. */
export async function openExampleServer(
  spec: { devices?: number; logs?: number; port?: number; dist?: string } = {},
): Promise<ExampleServer> {
  const devices = exampleDevices(spec.devices ?? 48)
  const logs = exampleLogs(spec.logs ?? 450, devices.length)
  const standIn = await openStandIn(
    {
      ...staffAnswers(() => standInData.devices),
      ...systemsAnswers(),
      ...contactAnswers(),
      ...campaignAnswers(),
      ...draftAnswers(),
      ...routeAnswers(),
      ...accountAnswers(),
      ...peopleAnswers(),
      ...alertAnswers(),
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
      'GET /api/agents': { body: exampleAgents },
      'GET /api/device/*': ({ path }) => {
        const device = standInData.devices.find(({ uid }) => uid === path.split('/').at(-1))
        return device
          ? { body: exampleDetail(device) }
          : { status: 404, body: { detail: 'There is no such device.', code: 'unknown_device' } }
      },
      'GET /api/device/*/history': ({ query }) => ({
        body: exampleHistory(undefined, query.get('from') ?? ''),
      }),
      'GET /api/device/*/orders': () => ({ body: { orders: exampleOrders(), next_cursor: null } }),
      'GET /api/device/*/networks': { body: exampleNetworks },
      'POST /api/enable-device/*': ({ path }) => enable(path, true),
      'POST /api/disable-device/*': ({ path }) => enable(path, false),
      'POST /api/devices/changes': ({ body }) => change(JSON.parse(body) as DevicesChange),
      'POST /api/device-list-settings': ({ body }) => {
        const { uid, max_sms_dayly } = JSON.parse(body) as { uid: string; max_sms_dayly: number }
        change({ uids: [uid], change: { max_sms_dayly } })
        return { body: { uid, max_sms_dayly } }
      },
      'POST /api/device-send-sms': { body: { status: SENT_VIA_MQTT, guid: 'guid-1' } },
      'GET /api/dashboard': { body: exampleDashboard() },
      'GET /api/logs/devices': ({ query }) => ({ body: page(standInData.logs, query) }),
      'GET /api/logs/count': ({ query }) => ({
        body: { count: matching(standInData.logs, query).length, complete: true },
      }),
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

  function change({ uids, change }: DevicesChange) {
    standInData.devices = standInData.devices.map((device) =>
      uids.includes(device.uid) ? changedBy(device, change) : device,
    )
    return { body: { changed: uids.length, refused: [] } }
  }

  const { publish } = standIn
  const standInData = Object.assign(standIn, { devices, logs, publish: publishAndKeep })
  return standInData

  /** A device list that is loaded after the status must agree with it, as the console loads one once it is connected. */
  function publishAndKeep(topic: string, payload: unknown): void {
    const change = topic === devicesStatus.pattern ? StatusChange.safeParse(payload).data : undefined
    if (change)
      standInData.devices = standInData.devices.map((device) =>
        device.uid === change.device_uid ? { ...device, status: change.status } : device,
      )
    publish(topic, payload)
  }
}

/** One server for the tests of a file. Each test starts with the usual answers and an empty list of calls. */
export async function useExampleServer(): Promise<ExampleServer> {
  const server = await openExampleServer()
  const { answers, devices } = server
  beforeEach(() => {
    server.answers = { ...answers }
    server.devices = devices
    server.asked.length = 0
  })
  after(() => server.stop())
  return server
}

function page(logs: readonly LogEntry[], query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 500)
  const cursor = Number(query.get('cursor') ?? Number.POSITIVE_INFINITY)
  const rest = matching(logs, query).filter(({ id }) => id < cursor)
  const shown = rest.slice(0, limit)
  return { logs: shown, next_cursor: rest.length > limit ? String(shown.at(-1)?.id) : null }
}

function matching(logs: readonly LogEntry[], query: URLSearchParams): LogEntry[] {
  const search = query.get('search') ?? ''
  const states = query.get('state')?.split(',')
  return logs.filter(
    (row) =>
      (row.guid.startsWith(search) || row.message_to.includes(search) || row.message.includes(search)) &&
      (!states || states.includes(row.state)) &&
      [row.device_guid, null].includes(query.get('device_uid')) &&
      [row.error, null].includes(query.get('error')) &&
      (query.get('errors') !== 'true' || row.error !== null),
  )
}

if (import.meta.main) {
  const { url } = await openExampleServer({ port: Number(process.env.PORT ?? 0) })
  console.log(`The console with example data: ${url}/login (password: correct)`)
}
