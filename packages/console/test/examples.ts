import type { AgentVersions } from '@sdd/contract/fleet/agents.ts'
import type { Device } from '@sdd/contract/fleet/devices.ts'
import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import { messageStates, type MessageState } from '@sdd/contract/messages/messages.ts'
import type { LogEntry } from '@sdd/contract/insight/log.ts'

/** A fixed time, so that every run shows the same. */
export const NOW = Date.parse('2026-11-20T21:32:07.000Z')

const carriers = ['Movistar', 'Movistar', 'Vodafone', 'Orange', 'Vodafone', 'Yoigo']
const places = ['Torre Norte', 'Bodega Sur', 'Madrid Centro', 'Sevilla Este', 'Bilbao Puerto', 'Valencia Mar']
const texts = [
  'Su cita es mañana a las 10:30. Responda 1 para confirmar.',
  'Código 482 913. No lo comparta con nadie.',
  'Corte de agua programado el 24 de noviembre de 08:00 a 12:00 en su zona. Disculpe las molestias.',
  'Su pedido 88213 está en camino.',
  'Recordatorio: su cuota vence el 25 de noviembre.',
]

/** The newest release, an older one and another program. */
export const exampleAgents: AgentVersions = {
  newest: '1.3.0',
  agents: [
    { agent: 'sdd-agent/1.1.0', version: '1.1.0', devices: 40, connected: 36, older: true },
    { agent: 'sdd-agent/1.3.0', version: '1.3.0', devices: 5, connected: 5, older: false },
    { agent: 'otro-programa/2', version: null, devices: 2, connected: 1, older: false },
    { agent: null, version: null, devices: 1, connected: 0, older: false },
  ],
  releases: [
    { version: '1.3.0', date: '2027-01-02', changes: ['The agent restarts modems that stop answering.'] },
    { version: '1.2.0', date: '2026-12-20', changes: [] },
    { version: '1.1.0', date: '2026-12-01', changes: ['Agents drive modems.'] },
  ],
}

/** A fleet with every kind of device. */
export function exampleDevices(count: number): Device[] {
  return Array.from({ length: count }, (_, n) => {
    const connected = n % 11 !== 4
    return {
      id: n + 1,
      company_id: 1,
      uid: `drone-${String(n + 1).padStart(4, '0')}`,
      status: connected ? ('connected' as const) : ('disconnected' as const),
      name: null,
      note: null,
      location: n % 13 === 5 ? null : `${pick(places, n * 5)} ${String((n % 12) + 1).padStart(2, '0')}`,
      created_at: instant(-86_400 * (400 - (n % 300)) - n * 617),
      enabled: n % 17 !== 9,
      max_sms_dayly: 1000,
      last_seen_at: instant(connected ? -(n % 30) : -3600 * (1 + (n % 40))),
      sent_today: connected ? (n * 137) % 940 : n % 60,
      queued: n % 7,
      carrier: pick(carriers, n * 7),
      signal: n % 9 === 8 ? null : -70 - ((n * 7) % 40),
      sim_ids: [`+3461020${String(n).padStart(4, '0')}`, `893407110012345${String(n).padStart(4, '0')}`],
      agent: connected ? 'sms-drone-dash/0.1.0' : null,
      radio:
        n % 23 === 3
          ? { ready: false, says: 'No network: the modem searches.' }
          : { ready: true, says: `Registered at home on ${pick(carriers, n * 7)}.` },
      tags: n % 3 === 0 ? ['almacén', 'norte'] : [],
      maintenance_until: n === 11 ? new Date(Date.now() + 3 * 86_400_000).toISOString() : null,
      quarantined_until: n === 7 ? instant(240) : null,
      quarantine_reason:
        n === 7 ? '5 messages failed in a row; the last: the modem did not answer in time.' : null,
      quarantine_reason_code: n === 7 ? 'failures_in_row' : null,
      quarantine_reason_params: n === 7 ? { failures: 5, last: 'timeout' } : null,
    }
  })
}

/** Messages in all states, newest first, through the devices of `exampleDevices`. */
export function exampleLogs(count: number, devices: number): LogEntry[] {
  return Array.from({ length: count }, (_, n) =>
    exampleLog(count - n, pick(messageStates, n < 3 ? 0 : weighted(n)), devices),
  )
}

/** One message in this state. The higher the id, the newer. */
export function exampleLog(id: number, state: MessageState, devices: number, guid = guidOf(id)): LogEntry {
  const at = (id - 500) * 11
  const device = id % devices
  const uid = `drone-${String(device + 1).padStart(4, '0')}`
  const rank = {
    queued: 0,
    handed: 1,
    sent: 2,
    delivered: 3,
    replied: 4,
    failed: 1,
    uncertain: 1,
    expired: 0,
    cancelled: 0,
  }
  const reached = rank[state]
  const failed = state === 'failed' || state === 'uncertain' || state === 'expired'
  const errors: Record<string, [string, string]> = {
    failed: ['38', 'Red fuera de servicio'],
    uncertain: [
      'unknown_outcome',
      'The device cannot tell whether it went out, so it is not sent again. A delivery report would settle it.',
    ],
    expired: ['expired', `It was not handed over by ${instant(at + 3)}.`],
  }
  const failureCodes: Record<string, Pick<LogEntry, 'error_msg_code' | 'error_msg_params'>> = {
    failed: { error_msg_code: 'device_said', error_msg_params: { text: 'Red fuera de servicio' } },
    uncertain: { error_msg_code: 'unknown_outcome', error_msg_params: {} },
    expired: { error_msg_code: 'not_handed_over', error_msg_params: { expires_at: instant(at + 3) } },
  }
  return {
    id,
    company_id: 1,
    guid,
    device_id: device + 1,
    device_guid: uid,
    message: pick(texts, id),
    class: 'transactional',
    message_to: `+346${String(10_000_000 + ((id * 7_919_333) % 89_999_999))}`,
    queue_timestamp: instant(at),
    handed_timestamp: reached >= 1 ? instant(at + 0.4) : null,
    answer_sent_timestamp: reached >= 2 ? instant(at + 2.1) : null,
    anwer_sent: reached >= 2 ? 'sent, 1 part' : null,
    answer_2_timestamp: reached >= 3 ? instant(at + 5.7) : null,
    answer_2: reached >= 3 ? 'delivered' : null,
    notes: `${instant(at)} 1: given to ${uid}`,
    notes_codes: [{ at: instant(at), code: 'given', params: { attempt: 1, device: uid } }],
    answer_3: reached >= 4 ? '1' : null,
    answer_3_timestamp: reached >= 4 ? instant(at + 95) : null,
    error: failed ? (errors[state]?.[0] ?? null) : null,
    error_msg: failed ? (errors[state]?.[1] ?? null) : null,
    ...(failureCodes[state] ?? { error_msg_code: null, error_msg_params: null }),
    error_timestamp: failed ? instant(at + 3.3) : null,
    error_block: state === 'failed' && id % 4 === 1,
    state,
    waiting_for:
      state === 'queued' ? 'Device offline: it has been disconnected since 2026-11-20T21:12:00.000Z.' : null,
    waiting_code: state === 'queued' ? 'device_offline' : null,
    waiting_params:
      state === 'queued'
        ? { device: 'drone-0005', since: '2026-11-20T21:12:00.000Z', expires_at: '2026-11-21T21:12:00.000Z' }
        : null,
  }
}

/** The only attempt of a message. */
export function exampleAttempt(row: LogEntry): AttemptDetail {
  return {
    attempt: 1,
    device: row.device_guid ?? '',
    sim: null,
    given_at: row.queue_timestamp,
    accepted_at: row.handed_timestamp,
    sent_at: row.answer_sent_timestamp,
    delivered_at: row.answer_2_timestamp,
    state: row.state === 'failed' ? 'failed' : row.answer_2 ? 'delivered' : 'given',
    code: row.error,
    detail: null,
  }
}

export const exampleNetworks = {
  wifi: {
    ssid: 'ops-norte-5g',
    intensity: -58,
    band: '5 GHz',
    frequency: 5180,
    link_speed: '433 Mbps',
    bssid: 'a4:2b:b0:c9:1e:70',
    ip_address: '10.42.7.118',
    captured_at: instant(-40),
  },
  mobile: {
    intensity: -94,
    captured_at: instant(-40),
    sims: [
      {
        id: 1,
        slot: 0,
        carrier: 'Movistar',
        operator_name: 'Movistar ES',
        phone_number: '+34610203040',
        iccid: '8934071100123456789',
        roaming: false,
        network_type_label: 'LTE',
      },
      {
        id: 2,
        slot: 1,
        carrier: 'Orange',
        operator_name: 'Orange F',
        phone_number: '+34655443322',
        iccid: '8934019900987654321',
        roaming: true,
        network_type_label: '5G',
      },
    ],
  },
}

function instant(secs: number): string {
  return new Date(NOW + secs * 1000).toISOString()
}

function guidOf(id: number): string {
  const hex = ((id * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, '0')
  return `${hex}-7c1e-4f0a-9b52-${String(id).padStart(12, '0')}`
}

function pick<T>(list: readonly T[], n: number): T {
  return list[n % list.length] as T
}

/** Mostly delivered, with each other state now and then. */
function weighted(n: number): number {
  return n % 6 === 4 ? (n * 5) % messageStates.length : 3
}
