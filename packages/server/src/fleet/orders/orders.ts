import type { Changed } from '@sdd/contract/core/live.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import type { Answer, Command } from '@sdd/contract/fleet/device-protocol.ts'
import {
  type Ability,
  Ability as AbilitySchema,
  type NewOrder,
  type Order,
  type OrderSelection,
} from '@sdd/contract/fleet/orders.ts'
import { type Actor, recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, DAY_MS, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { abilitiesOf, requireDevice, requireListed } from '#server/fleet/devices/devices.ts'
import { readDetails } from './details.ts'
import { keptOutput } from './output.ts'
import { type OrderRow, orderStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live }

/** A user, or the server itself, which has no name. */
export type OrderedBy = Actor & { scope: Scope }

/** Publishes to a device, through the server that it is connected to. */
type ToDevices = { toDeviceAnywhere(uid: string, command: Command): boolean }

/** Orders are kept this long. */
const KEEP_MS = 30 * DAY_MS
/** Orders to remove in one transaction. */
const STEP = 500

/**
 * Gives an order to a connected device, and publishes it once. Nothing is kept for later: `unknown_device`, `invalid`,
 * `device_disconnected`, `not_able`, `order_under_way`. `noteOrder` gets its id in the same transaction.
 */
export async function giveOrder(
  needs: Needs & { broker: ToDevices },
  caller: OrderedBy,
  uid: string,
  order: NewOrder,
  noteOrder?: (tx: Tx, order: number) => Promise<void>,
): Promise<{ order: number }> {
  const { db, clock, live, broker } = needs
  const { what, expires_in_secs } = order
  const { id, company_id, details, expires_at } = await db.write(async (tx) => {
    const device = await requireListed(tx, caller.scope, uid)
    const details = readDetails(order)
    const now_ms = clock.now()
    const now = instant(now_ms)
    if (device.status !== 'connected') {
      const params = { device: uid, since: device.status_at }
      throw new Refusal('device_disconnected', `The device ${uid} is disconnected.`, { params })
    }
    if (!abilitiesOf(device).includes(what))
      throw new Refusal('not_able', `The device ${uid} cannot do that: ${what}.`, {
        params: { device: uid, what },
      })
    const orders = orderStore(tx)
    const underWay = await orders.underWay(device.id, what, now)
    if (underWay !== undefined) {
      const detail = `The device ${uid} has not answered its last order of this kind.`
      throw new Refusal('order_under_way', detail, { params: { order: underWay.id } })
    }
    const { company_id } = device
    const expires_at = instant(now_ms + expires_in_secs * 1_000)
    const id = await orders.insert({
      company_id,
      device_id: device.id,
      what,
      details: details === undefined ? null : JSON.stringify(details),
      by_name: caller.name,
      at: now,
      expires_at,
    })
    const changes = {
      what: { from: null, to: what },
      ...(what === 'ussd' && { code: { from: null, to: details?.['code'] } }),
    }
    await noteOrder?.(tx, id)
    await recordChange(tx, clock, caller, { company_id, action: 'order.given', name: uid, changes })
    return { id, company_id, details, expires_at }
  })
  // After the commit, and never again: an order that is lost on its way expires.
  broker.toDeviceAnywhere(uid, {
    type: 'order',
    order: id,
    what,
    ...(details && { with: details }),
    expires_at,
  })
  live.changed(company_id, 'devices', 'audit')
  return { order: id }
}

/** The orders to a device, newest first. `unknown_device`. */
export async function listOrders(
  { db, clock }: { db: Pick<Database, 'read'>; clock: Clock },
  caller: Caller,
  uid: string,
  { limit, cursor }: OrderSelection,
): Promise<{ orders: Order[]; next_cursor: string | null }> {
  const { id } = await requireDevice(db.read, caller.scope, uid)
  const { page, next_cursor } = pageOf(await orderStore(db.read).page(id, cursorId(cursor), limit + 1), limit)
  const now = instant(clock.now())
  const seesAll = holds(caller.role, 'devices:manage')
  return { orders: page.map((row) => asOrder(row, now, seesAll)), next_cursor }
}

/** Their details and outputs may name plans, numbers and secrets. */
const GUARDED: readonly Ability[] = ['ussd', 'logs', 'configure']

function asOrder(row: OrderRow, now: string, seesAll: boolean): Order {
  const what = AbilitySchema.parse(row.what)
  const shown = seesAll || !GUARDED.includes(what)
  return {
    id: row.id,
    what,
    with: shown ? (JSON.parse(row.details ?? 'null') as Order['with']) : null,
    by: row.by_name,
    at: row.at,
    expires_at: row.expires_at,
    state: row.answered_at !== null ? 'answered' : row.expires_at > now ? 'given' : 'expired',
    ok: row.ok === null ? null : row.ok === 1,
    output: shown ? row.output : null,
    code: row.code,
    detail: row.detail,
    answered_at: row.answered_at,
  }
}

/** Acts on an answer in the transaction that stores it. Returns the lists that it changed. */
export type OrderListener = (tx: Tx, order: OrderRow, answer: Answer) => Promise<readonly Changed[]>

/** Stores the first answer to an order, also a late one. Others are dropped and counted. Resolves after the commit. */
export async function takeAnswer(
  { db, clock, live, featureMetrics }: Needs & { featureMetrics: Pick<FeatureMetrics, 'strangeAnswers'> },
  from: { device_id: number; company_id: number },
  answer: Answer,
  tellAnswered: OrderListener,
): Promise<void> {
  const { order, ok, output, code, detail } = answer
  const taken = await db.write(async (tx) => {
    const orders = orderStore(tx)
    const found = await orders.hold(order)
    if (found === undefined || found.device_id !== from.device_id || found.answered_at !== null)
      return undefined
    const text = (said: string | null | undefined) => (said ? keptOutput(said) : null)
    await orders.update(order, {
      ok: ok ? 1 : 0,
      output: text(output),
      code: text(code),
      detail: text(detail),
      answered_at: instant(clock.now()),
    })
    return tellAnswered(tx, found, answer)
  })
  if (taken) live.changed(from.company_id, 'devices', ...taken)
  else featureMetrics.strangeAnswers.inc()
}

/** Removes some orders that are older than 30 days. Returns true if there are probably more. */
export async function forgetOrders({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<boolean> {
  const before = instant(clock.now() - KEEP_MS)
  return (await db.write((tx) => orderStore(tx).forget(before, STEP))) === STEP
}
