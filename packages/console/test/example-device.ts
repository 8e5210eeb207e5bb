import type { Device } from '@sdd/contract/fleet/devices.ts'
import type {
  DeviceAttempt,
  DeviceDetail,
  DeviceHistory,
  HeldMessage,
  PresenceStretch,
} from '@sdd/contract/insight/device-detail.ts'
import type { Order } from '@sdd/contract/fleet/orders.ts'
import type { TelemetryPoint } from '@sdd/contract/fleet/telemetry.ts'
import { exampleSims } from './example-sims.ts'

const HOUR_MS = 3_600_000

/** Linked 20 days ago, and away for six hours three days ago. Ten days ago no server ran. */
export function examplePresence(): PresenceStretch[] {
  const now = new Date()
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const at = (daysAgo: number, hour: number) =>
    new Date(midnight - (daysAgo * 24 - hour) * HOUR_MS).toISOString()
  const edges = [
    [at(20, 12), 'disconnected'],
    [at(20, 13), 'connected'],
    [at(10, 0), 'unknown'],
    [at(9, 0), 'connected'],
    [at(3, 6), 'disconnected'],
    [at(3, 12), 'connected'],
  ] as const
  return edges.map(([from, state], n) => ({ from, to: edges[n + 1]?.[0] ?? now.toISOString(), state }))
}

const exampleHeld: HeldMessage[] = Array.from({ length: 7 }, (_, n) => ({
  guid: `held-${n}`,
  to: `+3460011122${n}`,
  class: 'transactional',
  state: n < 2 ? 'handed' : 'queued',
  since: '2026-11-20T10:00:00.000Z',
  ...(n < 2
    ? {
        waiting_for:
          'drone-0002 accepted it at 2026-11-20T10:00:00.000Z and has not said yet what became of it.',
        waiting_code: 'accepted' as const,
        waiting_params: { device: 'drone-0002', since: '2026-11-20T10:00:00.000Z' },
      }
    : {
        waiting_for: 'Next in line for drone-0002 since 2026-11-20T10:00:00.000Z.',
        waiting_code: 'device_next' as const,
        waiting_params: { device: 'drone-0002', since: '2026-11-20T10:00:00.000Z' },
      }),
}))

const attemptStates = ['given', 'accepted', 'sent', 'delivered', 'undelivered', 'failed'] as const

const exampleAttempts: DeviceAttempt[] = Array.from({ length: 12 }, (_, n) => {
  const state = attemptStates[n % attemptStates.length]!
  return {
    company_id: 1,
    guid: `attempt-${n}`,
    to: `+3460011133${n % 10}`,
    attempt: n === 5 ? 2 : 1,
    sim: null,
    given_at: `2026-11-20T10:${59 - n}:00.000Z`,
    accepted_at: null,
    sent_at: null,
    delivered_at: null,
    state,
    code: state === 'failed' ? 'no_network' : state === 'undelivered' ? '21' : null,
    detail: state === 'failed' ? '+CMS ERROR: 38' : null,
  }
})

export function exampleDetail(device: Device): DeviceDetail {
  return {
    ...device,
    abilities: ['doctor', 'logs', 'ussd', 'restart_radio'],
    sims: exampleSims(device),
    telemetry: {
      at: new Date().toISOString(),
      battery: 64,
      charging: true,
      temperature: null,
      disk_free_mb: 12_300,
      signal_dbm: -88,
    },
    today: { sent: 130, delivered: 117, failed: 4, uncertain: 1, received: 22 },
    week: { sent: 900, delivered: 846, failed: 20, uncertain: 3, received: 151 },
    holds: exampleHeld,
    attempts: exampleAttempts,
  }
}

/** A reading each half hour, but none in the absence of `examplePresence`, and no temperature. */
function exampleTelemetry(now: number): TelemetryPoint[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const away = [midnight - 66 * HOUR_MS, midnight - 60 * HOUR_MS] as const
  return Array.from({ length: 336 }, (_, n) => now - (335 - n) * (HOUR_MS / 2))
    .filter((at) => at < away[0] || at >= away[1])
    .map((at, n) => ({
      at: new Date(at).toISOString(),
      battery: 100 - (n % 40),
      charging: n % 40 > 30,
      temperature: null,
      disk_free_mb: 12_300,
      signal_dbm: -90 + (n % 7),
    }))
}

export function exampleHistory(presence = examplePresence(), from = ''): DeviceHistory {
  return { presence, telemetry: exampleTelemetry(Date.now()).filter(({ at }) => at >= from) }
}

const FINDINGS = [
  'good the SIM is ready',
  'note the signal is weak: -101 dBm',
  '  Move the antenna.',
  'WRONG no delivery reports',
  '  Use another modem.',
].join('\n')

export function exampleOrders(): Order[] {
  const at = '2026-11-20T10:00:00.000Z'
  const past = { with: null, by: 'Ana', at, expires_at: at, answered_at: at, code: null, detail: null }
  const done = { ...past, state: 'answered', ok: true } as const
  return [
    { ...done, id: 4, what: 'doctor', output: FINDINGS },
    { ...done, id: 3, what: 'ussd', with: { code: '*100#' }, output: 'Su saldo es de 12,50 EUR.' },
    {
      ...done,
      id: 2,
      what: 'restart_radio',
      ok: false,
      output: null,
      code: 'busy',
      detail: 'A message is on air',
    },
    { ...past, id: 1, what: 'logs', by: null, state: 'expired', ok: null, output: null, answered_at: null },
  ]
}
