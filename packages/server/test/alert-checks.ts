import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { AlertRuleChange } from '@sdd/contract/outward/alerts.ts'
import { instant } from '#server/core/clock.ts'
import { editDevice } from '#server/fleet/devices/changing.ts'
import { listAlerts } from '#server/outward/alerts/alerts.ts'
import { openAlertChecks } from '#server/outward/alerts/checking.ts'
import { saveAlertRule } from '#server/outward/alerts/rules.ts'
import { MINUTE, testClock } from './clock.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'

export const ADMIN = { ...SUPERADMIN, role: 'admin', scope: { company_id: 1 } } as const

/** A company whose devices, messages and webhooks a test changes, and the check of its alert rules. */
export async function begin(t: TestContext) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const world = await openWorld(clock, () => {})
  const backup_folder = mkdtempSync(join(tmpdir(), 'sdd-alerts-'))
  t.after(async () => {
    await world.close()
    rmSync(backup_folder, { recursive: true })
  })
  const seen = { free: 1e12, expires_at: Infinity }
  const installation = {
    backup_folder,
    freeBytes: () => seen.free,
    certificateExpires: () => seen.expires_at,
  }
  const open = () => openAlertChecks({ ...world.needs, rules: world.needs.numbers.rules, installation })
  let check = open()
  // Devices have had the time to come back after the start.
  clock.advance(2 * MINUTE)
  let connections = 0
  const needs = () => ({ ...world.needs, config: {} })
  const alerts = async (query?: 'true' | 'false', as: typeof SUPERADMIN = SUPERADMIN) =>
    (await listAlerts(world.needs, as, { open: query, limit: 100 })).alerts
  return {
    clock,
    world,
    seen,
    backup_folder,
    needs,
    alerts,
    rule: async (change: AlertRuleChange, as: typeof SUPERADMIN = SUPERADMIN) =>
      (await saveAlertRule(needs(), as, change)).rule,
    /** Lets this time pass, and checks. */
    async after(ms: number) {
      clock.advance(ms)
      await check()
    },
    async restart() {
      await world.restart()
      check = open()
    },
    /** The open alerts, as `condition subject`. */
    open: async () =>
      (await alerts('true')).map(({ rule, subject }) => `${rule.condition} ${subject.id}`).sort(),
    async join(uid: string) {
      const device_id = await world.link(1, uid)
      return {
        device_id,
        async connect() {
          const connection = ++connections
          const from = { connection_id: `c${connection}`, connection, uid, device_id, company_id: 1 }
          await world.status(from, { status: 'connected', session: `s${connection}`, agent: 'test/1' })
          return from
        },
      }
    },
    set: (uid: string, change: Parameters<typeof editDevice>[3]) =>
      editDevice(world.needs, SUPERADMIN, uid, change),
    /** Messages that ended on the device, oldest first. The first to end was the last to be accepted. */
    async end(device_id: number, ...states: string[]) {
      const [last] = await world.db.read.query<{ id: number | null }>('select max(id) as id from outcomes')
      const rows = states.map((state, n) => ({
        id: (last!.id ?? 0) + states.length - n,
        company_id: 1,
        device_id,
        attempt: 1,
        state: state as 'sent',
        completed_at: instant(clock.now() - states.length + n),
      }))
      await world.db.write((tx) => tx.insert('outcomes', rows))
    },
  }
}
