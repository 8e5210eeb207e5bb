import { holds } from '@sdd/contract/core/roles.ts'
import type { Alert, AlertSelection, AlertTold } from '@sdd/contract/outward/alerts.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { alertMessageStore } from './channels.store.ts'
import { channelFaultFieldsOf } from './channel-faults.ts'
import { asAlert } from './details.ts'
import { refuseInstallation, shownConditions } from './rules.ts'
import { alertStore } from './store.ts'

/** A page of alerts, newest first. Only superadmins see those of the installation. */
export async function listAlerts(
  { db }: { db: Pick<Database, 'readInWorker'> },
  caller: Caller,
  { open, limit, cursor }: AlertSelection,
): Promise<{ alerts: Alert[]; next_cursor: string | null }> {
  const asked = {
    open: open === undefined ? undefined : open === 'true',
    below: cursorId(cursor),
    shown: shownConditions(caller),
  }
  const rows = await alertStore(db.readInWorker, caller.scope).page(asked, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit)
  const seesTold = holds(caller.role, 'alerts:manage')
  const told = seesTold ? await toldOf(db.readInWorker, page) : new Map<number, AlertTold[]>()
  return { alerts: page.map((row) => ({ ...asAlert(row), told: told.get(row.id) ?? [] })), next_cursor }
}

/**
 * Notes that the caller takes care of an open alert. The first one counts. `unknown_alert`, `alert_resolved`,
 * `forbidden` for alerts of the installation, except by superadmins.
 */
export async function acknowledgeAlert(
  { db, clock, live }: { db: Database; clock: Clock; live: Pick<Live, 'changed'> },
  caller: Caller,
  id: number,
): Promise<Alert> {
  const { alert, changed } = await db.write(async (tx) => {
    const store = alertStore(tx, caller.scope)
    const alert = await store.hold(id)
    if (alert === undefined) throw new Refusal('unknown_alert', `There is no alert ${id}.`)
    refuseInstallation(caller, alert.condition)
    if (alert.resolved_at !== null)
      throw new Refusal('alert_resolved', `The alert ${id} is resolved already.`)
    if (alert.acknowledged_at !== null) return { alert, changed: false }
    const acknowledged = {
      acknowledged_by: caller.user_id,
      acknowledged_name: caller.name,
      acknowledged_at: instant(clock.now()),
    }
    await store.update(id, acknowledged)
    const { company_id, condition, subject_id, subject_name } = alert
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'alert.acknowledged',
      name: subject_name ?? subject_id,
      changes: { condition: { from: null, to: condition } },
    })
    return { alert: { ...alert, ...acknowledged }, changed: true }
  })
  if (changed) live.changed(alert.company_id, 'alerts', 'audit')
  const seesTold = holds(caller.role, 'alerts:manage')
  const told = seesTold ? ((await toldOf(db.read, [alert])).get(id) ?? []) : []
  return { ...asAlert(alert), told }
}

/** What channels were told about each alert, by its id. */
async function toldOf(tx: Tx, rows: readonly { id: number }[]): Promise<Map<number, AlertTold[]>> {
  const messages = await alertMessageStore(tx).about(rows.map(({ id }) => id))
  const told = new Map<number, AlertTold[]>()
  for (const { alert_id, channel_id, event, tried_at, state, tries, detail } of messages) {
    const delivered = state === 'waiting' ? null : state === 'delivered'
    const one = {
      channel: channel_id,
      event,
      at: tried_at,
      delivered,
      tries,
      ...channelFaultFieldsOf(detail),
    }
    told.getOrInsertComputed(alert_id, () => []).push(one)
  }
  return told
}
