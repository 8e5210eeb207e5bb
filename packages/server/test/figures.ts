import type { TestContext } from 'node:test'
import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import type { LogEntry, LogPage } from '@sdd/contract/insight/log.ts'
import type { ReportState, SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { ensureCompany } from '#server/accounts/companies/companies.ts'
import { saveGlobalSettings } from '#server/accounts/settings/settings.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { saveDeviceLimit } from '#server/fleet/devices/daily-limits.ts'
import { setEnabled } from '#server/fleet/devices/devices.ts'
import { readDashboard } from '#server/insight/dashboard/dashboard.ts'
import { readDeviceDetail } from '#server/insight/dashboard/device-detail.ts'
import { listPage } from '#server/insight/log/log.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { testClock } from './clock.ts'
import { withoutUrls } from './model/steps.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'

export const OURS = adminOf(2)
export const THEIRS = adminOf(3)

function adminOf(company_id: number): Caller {
  return { ...SUPERADMIN, role: 'admin', company_id, scope: { company_id } }
}

/** The rules over a database, with a dispatcher that runs round by round, and devices that connect at once. */
export async function openFigures(t: TestContext) {
  const clock = testClock('2026-06-10T08:20:00Z')
  const commands = new Map<string, SendCommand[]>()
  const world = await openWorld(clock, ({ uid, command }) => {
    if (command.type === 'send') commands.get(uid)!.push(command)
  })
  t.after(() => world.close())
  const { needs, db } = world
  const now = () => instant(clock.now())
  await db.write((tx) => ensureCompany(tx, THEIRS.company_id, now()))
  let connections = 0

  return {
    clock,
    world,
    now,
    dashboard: ({ scope }: Caller, wanted?: Parameters<typeof readDashboard>[2]): Promise<Dashboard> =>
      readDashboard(needs, scope, wanted),
    detail: ({ scope }: Caller, uid: string) =>
      readDeviceDetail({ ...needs, broker: { lastSeen: () => undefined } }, scope, uid),
    async queued({ scope }: Caller): Promise<LogEntry[]> {
      const page = await listPage(
        needs,
        { scope, company_id: 1, role: 'admin' },
        { state: ['queued'], limit: 50 },
      )
      return (JSON.parse(new TextDecoder().decode(page)) as LogPage).logs
    },
    async device({ company_id }: Caller, uid: string): Promise<Device> {
      const device_id = await world.link(company_id, uid)
      const connection = ++connections
      const from = { connection_id: `c${connection}`, connection, uid, device_id, company_id }
      commands.set(uid, [])
      await world.status(from, { status: 'connected', session: `s${connection}`, agent: 'test/1' })
      return { uid, from, commands: commands.get(uid)! }
    },
    /** Queues a message, and hands over all that it can. */
    async send(by: Caller, { uid }: Pick<Device, 'uid'>): Promise<string> {
      const sms = { device_uid: uid, telefono_to: '+34600111222', mensaje_sms: 'hola' }
      const { guid } = await queueMessage(needs, by, sms)
      await world.settle()
      return guid
    },
    /** Submits a task that any device may take. */
    async submit(by: Caller): Promise<string> {
      const [result] = await submitTasks(withoutUrls(world), by, [
        { to_number: '+34600111222', text: 'hola' },
      ])
      return result!.guid!
    },
    report: ({ from }: Device, guid: string, state: ReportState, code?: string, attempt = 1) =>
      world.reports(from, [{ guid, attempt, state, at: now(), ...(code !== undefined && { code }) }]),
    set: (by: Caller, spoof_time_secs: number, send_enabled = true) =>
      saveGlobalSettings(needs, by, { spoof_time_secs, send_enabled }),
    limit: (by: Caller, { uid }: Device, max_sms_dayly: number) =>
      saveDeviceLimit(needs, by, { uid, max_sms_dayly }),
    disable: (by: Caller, uid: string) => setEnabled(needs, by, uid, false),
  }
}

type From = Parameters<Awaited<ReturnType<typeof openWorld>>['cut']>[0]
export type Device = { uid: string; from: From; commands: SendCommand[] }
