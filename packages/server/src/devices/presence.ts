import type { Presence } from '@sdd/contract/device-protocol.ts'
import type { DeviceStatus } from '@sdd/contract/devices.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/live/live.ts'
import { deviceStore } from './store.ts'

type Needs = { db: Database; live: Live; clock: Clock }
type Connection = { connection_id: string; device_id: number; company_id: number; uid: string }

/**
 * A device said that it is connected, or that it leaves (its will says so too). A `disconnected` of any session but
 * the current one is stale and ignored. Resolves once it is stored; true where the device has just connected.
 */
export async function keepPresence(needs: Needs, from: Connection, presence: Presence): Promise<boolean> {
  const now = instant(needs.clock.now())
  const changed = await needs.db.write(async (tx) => {
    const device = await deviceStore(tx, 'all').byId(from.device_id)
    if (device === undefined) return undefined
    if (presence.status === 'disconnected') {
      const current = device.session === presence.session && device.connection_id === from.connection_id
      return current ? leave(tx, device, now) : undefined
    }
    await deviceStore(tx, 'all').update(device.id, {
      status: 'connected',
      status_at: device.status === 'connected' ? device.status_at : now,
      session: presence.session,
      connection_id: from.connection_id,
      agent: presence.agent ?? null,
      last_seen_at: now,
    })
    return device.status === 'connected' ? undefined : 'connected'
  })
  announce(needs, from, changed)
  return presence.status === 'connected'
}

/** The connection has ended, however it did: a device that was on it is disconnected. */
export async function endPresence(needs: Needs, from: Connection): Promise<void> {
  const now = instant(needs.clock.now())
  const changed = await needs.db.write(async (tx) => {
    const device = await deviceStore(tx, 'all').byId(from.device_id)
    return device?.connection_id === from.connection_id ? leave(tx, device, now) : undefined
  })
  announce(needs, from, changed)
}

async function leave(tx: Tx, device: { id: number; status: DeviceStatus }, now: string) {
  if (device.status === 'disconnected') return undefined
  await deviceStore(tx, 'all').update(device.id, {
    status: 'disconnected',
    status_at: now,
    session: null,
    connection_id: null,
    last_seen_at: now,
  })
  return 'disconnected' as const
}

function announce({ live }: Pick<Needs, 'live'>, from: Connection, status: DeviceStatus | undefined): void {
  if (status !== undefined) live.deviceStatus(from.company_id, from.uid, status)
}

/** After a start nobody is connected yet, whatever the last run left behind. */
export async function forgetPresence({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<void> {
  await db.write((tx) => deviceStore(tx, 'all').disconnectAll(instant(clock.now())))
}
