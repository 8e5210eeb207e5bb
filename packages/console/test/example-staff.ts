import { DEFAULT_HOURS } from '@sdd/contract/accounts/sending-hours.ts'
import type { Device, LinkCode } from '@sdd/contract/fleet/devices.ts'
import { roles } from '@sdd/contract/core/roles.ts'
import type { GlobalSettings } from '@sdd/contract/accounts/settings.ts'
import type { Task, TaskState } from '@sdd/contract/tasks/tasks.ts'
import type { User } from '@sdd/contract/accounts/users.ts'
import { NOW } from './examples.ts'
import type { Answer, StandIn } from './stand-in.ts'

const names = ['Ana Ruiz', 'Luis Vega', 'Marta Peña', 'José Ángel Núñez', 'Noor Haddad', 'Iker Etxeberria']
const companies = ['Main', 'Norte Mensajería', 'Clínicas Sur']
const states: TaskState[] = [
  'received',
  'started',
  'started',
  'completed',
  'completed',
  'failed',
  'uncertain',
  'expired',
  'discarded',
]

/** A signed-in superadmin, followed by staff of three companies. */
export function exampleUsers(count: number): User[] {
  const staff = Array.from({ length: count - 1 }, (_, n) => {
    const name = `${names[n % names.length]}${n < names.length ? '' : ` ${Math.floor(n / names.length) + 1}`}`
    return {
      id: n + 2,
      name,
      email: `${name.normalize('NFD').replace(/\p{M}/gu, '').replace(/\W+/g, '.').toLowerCase()}@example.com`,
      role: roles[n % 5 === 0 ? 1 : 0] ?? 'user',
      enabled: n % 7 !== 3,
      companyId: (n % 3) + 1,
      company: companies[n % 3] ?? '',
      second_factor: n === 1,
      language: null,
      last_login_at: n % 4 === 2 ? null : instant(-3_600 * (n + 1)),
    }
  })
  const first = { id: 1, name: 'superadmin', email: 'superadmin@localhost', enabled: true, companyId: 1 }
  return [
    {
      ...first,
      role: 'superadmin',
      company: 'Main',
      second_factor: false,
      language: null,
      last_login_at: instant(-60),
    },
    ...staff,
  ]
}

/** Tasks in all states, newest first. */
export function exampleTasks(count: number): Task[] {
  return Array.from({ length: count }, (_, n) =>
    exampleTask(count - n, states[n % states.length] ?? 'received'),
  )
}

/** One task in this state. The higher the id, the newer. */
export function exampleTask(id: number, state: TaskState): Task {
  const at = (id - 1_000) * 9
  const assigned = state !== 'received' && state !== 'discarded'
  const ended = assigned && state !== 'started' && state !== 'expired'
  return {
    company_id: 1,
    guid: `task-${String(id).padStart(6, '0')}`,
    from_number: id % 4 === 0 ? '+34610203040' : null,
    to_number: `+346${String(10_000_000 + ((id * 7_919_333) % 89_999_999))}`,
    text: id % 2 === 0 ? 'Su cita es mañana a las 10:30.' : 'Código 482 913. No lo comparta con nadie.',
    sent_stamp: id % 3 === 0 ? null : instant(at - 2),
    silent: id % 5 === 0,
    class: 'transactional',
    created_at: instant(at),
    device_guid_assigned: assigned ? `drone-${String((id % 48) + 1).padStart(4, '0')}` : null,
    assigned_at: assigned ? instant(at + 1) : null,
    completed_at: ended ? instant(at + 5) : null,
    discarded_at: state === 'discarded' || state === 'expired' ? instant(at + 60) : null,
    state,
    expires_at: instant(at + 86_400),
    attempts: assigned ? 1 : 0,
    error_msg: state === 'failed' ? 'Red fuera de servicio' : null,
    error_msg_code: state === 'failed' ? 'device_said' : null,
    error_msg_params: state === 'failed' ? { text: 'Red fuera de servicio' } : null,
    delivery_at: null,
    reply: null,
    reply_at: null,
    waiting_for: state === 'received' ? `Not before ${instant(12_000)}, as it was handed in.` : null,
    waiting_code: state === 'received' ? 'not_before' : null,
    waiting_params: state === 'received' ? { at: instant(12_000) } : null,
  }
}

/** Two valid codes. */
export function exampleCodes(): LinkCode[] {
  return [
    { id: 8, hint: 'QK7M', by: 'Ana Ruiz', uses: 25, uses_left: 18, secs: 7 * 3_600 },
    { id: 7, hint: '3WBX', by: 'superadmin', uses: 1, uses_left: 1, secs: 420 },
  ].map(({ secs, ...code }) => ({
    ...code,
    company_id: 1,
    created_at: new Date(Date.now() - 60_000).toISOString(),
    expires_at: new Date(Date.now() + secs * 1000).toISOString(),
  }))
}

export const exampleSettings: GlobalSettings[] = companies.map((_, n) => ({
  id: n + 11,
  company_id: n + 1,
  spoof_time_secs: n * 15,
  send_enabled: n !== 1,
  sending_changed_at: null,
  sending_changed_by: null,
  held: n === 1 ? 3 : 0,
  retention_days: 365,
  stop_words: ['STOP', 'BAJA'],
  new_devices_enabled: true,
  require_second_factor: false,
  default_country: 'ES',
  sending_hours: DEFAULT_HOURS,
  inbox_role: 'user' as const,
}))

/** The full record of the task whose guid ends the path. */
export function taskRecord(path: string): Answer {
  const [, id] = /task-(\d+)$/.exec(path) ?? []
  return id
    ? { body: { ...exampleTask(Number(id), 'completed'), queued_by: 'shop', anwer_sent: 'sent, 1 part' } }
    : { status: 404 }
}

/** A server's answers for the screens of users, tasks, settings and linking. Nothing is stored. */
export function staffAnswers(devices: () => Device[]): StandIn['answers'] {
  const tasks = exampleTasks(700)
  return {
    'GET /api/my-users': { body: { users: exampleUsers(24) } },
    'POST /api/user': ({ body }) => {
      const { id } = JSON.parse(body) as { id?: number }
      return id
        ? { body: { status: 'Usuario guardado', id } }
        : { status: 201, body: { status: 'Usuario creado', id: 99 } }
    },
    'GET /api/external-tasks': ({ query }) => ({ body: pageOf(tasks, query) }),
    'GET /api/global-settings': { body: { settings: exampleSettings } },
    'POST /api/global-settings': ({ body, query }) => {
      const company_id = Number(query.get('company') ?? 1)
      return { body: { ...(JSON.parse(body) as object), company_id } }
    },
    'GET /api/device-list-settings': () => ({
      body: {
        devices: devices().map(({ company_id, uid, status, max_sms_dayly, sent_today }) => ({
          company_id,
          uid,
          status,
          max_sms_dayly,
          sent_today,
        })),
      },
    }),
    'POST /api/link-codes': ({ body }) => {
      const { uses, expires_in_secs } = JSON.parse(body) as { uses: number; expires_in_secs: number }
      const expires_at = new Date(Date.now() + expires_in_secs * 1000).toISOString()
      return { status: 201, body: { id: 9, code: 'ABCDE-FGHJK', uses, expires_at } }
    },
    'GET /api/link-codes': () => ({ body: { link_codes: exampleCodes() } }),
  }
}

function pageOf(tasks: readonly Task[], query: URLSearchParams) {
  const PAGE = 500
  const status = query.get('status') ?? 'all'
  const from = Number(query.get('cursor') ?? 0)
  const matching = tasks.filter(
    ({ state, completed_at }) =>
      status === 'all' || state === status || (status === 'completed' && completed_at !== null),
  )
  const next = from + PAGE < matching.length ? String(from + PAGE) : null
  return { tasks: matching.slice(from, from + PAGE), next_cursor: next }
}

function instant(secs: number): string {
  return new Date(NOW + secs * 1000).toISOString()
}
