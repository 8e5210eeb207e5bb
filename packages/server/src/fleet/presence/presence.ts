import type { Presence } from '@sdd/contract/fleet/device-protocol.ts'
import type { DeviceStatus } from '@sdd/contract/core/live.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { type Peers, type Replica, requireLease } from '#server/core/replicas/replicas.ts'
import { deviceStore, DISCONNECTED } from '#server/fleet/devices/store.ts'

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

/**
 * Stores that a device connected or disconnected (its will reports the latter too). If the stored session is known, a
 * `disconnected` of another session is stale and ignored. So is anything from a connection that a later one has
 * replaced, on any server. Resolves once it is stored, with true if the device is now connected here. Throws
 * `not_ready` if this server no longer holds the lease on its devices.
 */
export async function storePresence(
  needs: Needs & { replica: Pick<Replica, 'id'>; peers: Pick<Peers, 'tell'> },
  from: Connection,
  presence: Omit<Presence, 'session'> & { session: string | null },
): Promise<boolean> {
  const now = instant(needs.clock.now())
  const { connection } = from
  const stored = await needs.db.write(async (tx) => {
    await requireLease(tx, needs.replica)
    const device = await deviceStore(tx, 'all').byId(from.device_id)
    if (device === undefined || device.connection > connection) return undefined
    if (presence.status === 'disconnected') {
      const current = device.session === null || device.session === presence.session
      return current ? { changed: await disconnect(tx, device, now) } : undefined
    }
    const replica = needs.replica.id()
    await deviceStore(tx, 'all').update(device.id, {
      status: 'connected',
      status_at: device.status === 'connected' ? device.status_at : now,
      session: presence.session,
      connection,
      replica,
      agent: presence.agent ?? null,
      last_seen_at: now,
    })
    const changed = device.status === 'connected' ? undefined : ('connected' as const)
    return { changed, moved: device.replica !== null && device.replica !== replica }
  })
  // The device still has a connection at another server, which does not know yet.
  if (stored?.moved) needs.peers.tell('cut', from.uid, connection)
  announce(needs, from, stored?.changed)
  return stored !== undefined && presence.status === 'connected'
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

async function disconnect(tx: Tx, device: { id: number; status: DeviceStatus }, now: string) {
  if (device.status === 'disconnected') return undefined
  await deviceStore(tx, 'all').update(device.id, { ...DISCONNECTED, status_at: now, last_seen_at: now })
  return 'disconnected' as const
}

function announce({ live }: Pick<Needs, 'live'>, from: Connection, status: DeviceStatus | undefined): void {
  if (status !== undefined) live.deviceStatus(from.company_id, from.uid, status, from.connection)
}

/** After the start of the only server no device is connected yet, whatever the last run stored. */
export async function disconnectAll({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<void> {
  await db.write((tx) => deviceStore(tx, 'all').disconnectAll(instant(clock.now())))
}

/** Disconnects a limited number of devices of these servers, which are gone. `more` if there may be others. */
export async function disconnectDevicesOf(tx: Tx, replicas: readonly string[], now: string) {
  const left = await deviceStore(tx, 'all').leave(replicas, now, AT_ONCE)
  return { left, more: left.length === AT_ONCE }
}

/** Disconnects the devices of unknown servers. A copied database contains such devices. */
export async function disconnectUnknown({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<void> {
  await db.write((tx) => deviceStore(tx, 'all').disconnectUnknown(instant(clock.now())))
}

/** The devices at this server, and the number of each connection. */
export async function connectionsAt(tx: Tx, replica: string): Promise<Map<string, number>> {
  const rows = await deviceStore(tx, 'all').connectedAt(replica)
  return new Map(rows.map(({ uid, connection }) => [uid, connection]))
}
