import { abilities, type Ability } from '@sdd/contract/fleet/orders.ts'
import type { Presence } from '@sdd/contract/fleet/device-protocol.ts'
import type { DeviceStatus } from '@sdd/contract/core/live.ts'
import { openBatching } from '@sdd/storage/batching.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Devices } from '#server/database/device-tables.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { type Peers, type Replica, requireLease } from '#server/core/replicas/replicas.ts'
import { type DeviceRow, deviceStore, DISCONNECTED } from '#server/fleet/devices/store.ts'
import { presenceHistory } from '#server/fleet/devices/presence.store.ts'

type Needs = { db: Database; live: Pick<Live, 'deviceStatus'>; clock: Clock }
/** The device that published, with its connection and its company. */
export type ConnectedDevice = {
  readonly connection_id: string
  /** The number of its connection. Later connections have higher numbers. */
  readonly connection: number
  readonly uid: string
  readonly device_id: number
  readonly company_id: number
}

type Connection = Omit<ConnectedDevice, 'connection_id'>

/** Disconnections per transaction when a server is gone. This limits how long one takes. */
const AT_ONCE = 500

/** Statuses per transaction. This limits how long one takes. */
const STATUSES_AT_ONCE = 100

/**
 * Stores that a device connected or disconnected (its will reports the latter too), together with other devices that
 * say so at the same moment. If the stored session is known, a `disconnected` of another session is stale and ignored.
 * So is anything from a connection that a later one has replaced, on any server. Resolves once it is stored, with true
 * if the device is now connected here. Rejects with `not_ready` if this server no longer holds the lease on its devices.
 */
export function openPresence(
  needs: Needs & { replica: Pick<Replica, 'id'>; peers: Pick<Peers, 'tell'> },
): (from: Connection, presence: Said) => Promise<boolean> {
  const store = openBatching(needs.db, STATUSES_AT_ONCE, (tx, heard: readonly Heard[]) =>
    storeAll(tx, needs, heard),
  )
  return async (from, presence) => {
    const { outcomes, durable } = await store([{ from, presence }])
    await durable
    const [stored] = outcomes
    // The device still has a connection at another server, which does not know yet.
    if (stored?.moved) needs.peers.tell('cut', from.uid, from.connection)
    announce(needs, from, stored?.changed)
    return stored !== undefined && presence.status === 'connected'
  }
}

type Said = Omit<Presence, 'session'> & { session: string | null }
type Heard = { from: Connection; presence: Said }

/** The effect of a status; `undefined` if it was ignored. */
type Stored = { changed: DeviceStatus | undefined; moved?: boolean } | undefined

async function storeAll(
  tx: Tx,
  { clock, replica }: { clock: Clock; replica: Pick<Replica, 'id'> },
  heard: readonly Heard[],
): Promise<Stored[]> {
  const now = instant(clock.now())
  const ids = heard.map(({ from }) => from.device_id)
  // PostgreSQL answers them in this order: the lease is locked before the devices.
  const [, rows] = await Promise.all([requireLease(tx, replica), deviceStore(tx, 'all').held(ids)])
  const devices = new Map(rows.map((row) => [row.id, row]))
  const stored: Stored[] = []
  for (const { from, presence } of heard) {
    const device = devices.get(from.device_id)
    stored.push(device && (await storeStatus(tx, device, { from, presence }, { now, replica: replica.id() })))
  }
  return stored
}

/** Changes the row too, for later statuses of the same device. */
async function storeStatus(
  tx: Tx,
  device: DeviceRow,
  { from: { connection }, presence }: Heard,
  { now, replica }: { now: string; replica: string },
): Promise<Stored> {
  if (device.connection > connection) return undefined
  if (presence.status === 'disconnected') {
    const current = device.session === null || device.session === presence.session
    return current ? { changed: await disconnect(tx, device, now) } : undefined
  }
  const changed = device.status === 'connected' ? undefined : ('connected' as const)
  const moved = device.replica !== null && device.replica !== replica
  if (changed) await presenceHistory(tx).note(device.id, changed, now)
  await changeDevice(tx, device, {
    status: 'connected',
    status_at: changed ? now : device.status_at,
    session: presence.session,
    connection,
    replica,
    agent: presence.agent ?? null,
    // Without a session this is no status of the device, and says nothing about them.
    ...(presence.session !== null && { abilities: JSON.stringify(knownAbilities(presence.abilities)) }),
    last_seen_at: now,
  })
  return { changed, moved }
}

/** Those that the server knows, each once. */
function knownAbilities(said: unknown): Ability[] {
  const named: readonly unknown[] = Array.isArray(said) ? said : []
  return abilities.filter((ability) => named.includes(ability))
}

/** The connection has ended in any way: its device is disconnected. */
export async function endPresence(needs: Needs, from: Connection): Promise<void> {
  const now = instant(needs.clock.now())
  const changed = await needs.db.write(async (tx) => {
    const device = await deviceStore(tx, 'all').byId(from.device_id)
    return device?.connection === from.connection ? disconnect(tx, device, now) : undefined
  })
  announce(needs, from, changed)
}

async function disconnect(tx: Tx, device: DeviceRow, now: string) {
  if (device.status === 'disconnected') return undefined
  await presenceHistory(tx).note(device.id, 'disconnected', now)
  await changeDevice(tx, device, { ...DISCONNECTED, status_at: now, last_seen_at: now })
  return 'disconnected' as const
}

async function changeDevice(tx: Tx, device: DeviceRow, change: Change<Devices>): Promise<void> {
  await deviceStore(tx, 'all').update(device.id, change)
  Object.assign(device, change)
}

function announce({ live }: Pick<Needs, 'live'>, from: Connection, status: DeviceStatus | undefined): void {
  if (status !== undefined) live.deviceStatus(from.company_id, from.uid, status, from.connection)
}

/** After the start of the only server no device is connected yet, whatever the last run stored. */
export async function disconnectAll({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<void> {
  const now = instant(clock.now())
  await db.write(async (tx) => {
    await presenceHistory(tx).noteAllGone(now)
    await deviceStore(tx, 'all').disconnectAll(now)
  })
}

/** Disconnects a limited number of devices of these servers, which are gone. `more` if there may be others. */
export async function disconnectDevicesOf(tx: Tx, replicas: readonly string[], now: string) {
  const left = await deviceStore(tx, 'all').leave(replicas, now, AT_ONCE)
  for (const { id } of left) await presenceHistory(tx).note(id, 'disconnected', now)
  return { left, more: left.length === AT_ONCE }
}

/** Disconnects the devices of unknown servers. A copied database contains such devices. */
export async function disconnectUnknown({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<void> {
  const now = instant(clock.now())
  await db.write(async (tx) => {
    const left = await deviceStore(tx, 'all').disconnectUnknown(now)
    for (const { id } of left) await presenceHistory(tx).note(id, 'disconnected', now)
  })
}

/** The devices at this server, and the number of each connection. */
export async function connectionsAt(tx: Tx, replica: string): Promise<Map<string, number>> {
  const rows = await deviceStore(tx, 'all').connectedAt(replica)
  return new Map(rows.map(({ uid, connection }) => [uid, connection]))
}
