import { isIn, locked, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Devices, Sims } from '#server/database/device-tables.ts'
import type { Change, Settings, Tx } from '#server/database/schema.ts'

/** A SIM with the uid of its device. */
export type SimRow = Selectable<Sims> & { device_uid: string | null }

export function simStore(tx: Tx, scope: Scope) {
  return {
    /** By ICCID. */
    list: () => tx.rows(LIST, within(scope)),

    byIccid: (company_id: number, iccid: string) =>
      tx.first(BY_ICCID, { of: company_id, iccid, ...within(scope) }),

    /** By device and slot. */
    ofDevices: (device_ids: readonly number[]) => tx.rows(OF_DEVICES, { device_ids }),

    /** The same, locked until the commit. */
    holdOfDevices: (device_ids: readonly number[]) => tx.rows(HOLD_OF_DEVICES, { device_ids }),

    /** What decides which number a SIM of this device has. */
    named: (uid: string) => tx.first(NAMED, { uid, ...within(scope) }),

    /** Locked until the commit. */
    hold: (id: number) => tx.first(HOLD, { id }),

    /** SIMs whose balance is due, at most 100. */
    due: (now: string) => tx.rows(BALANCE_DUE, { now }),

    insert: (sim: Insertable<Sims>): Promise<number> => tx.insertRow('sims', sim),

    update: (id: number, change: Change<Sims>) => tx.update('sims', { id }, change),

    /** The devices that the SIM has been in. */
    devicesOf: async (sim_id: number): Promise<number[]> =>
      (await tx.rows(DEVICES_OF, { sim_id })).map(({ device_id }) => device_id),

    noteDevice: (sim_id: number, device_id: number, since: string) =>
      tx.put('sim_devices', { sim_id, device_id }, { since }),
  }
}

const SIMS = `select sims.*, uid as device_uid from sims left join devices on devices.id = device_id`

const IN_SCOPE = when('company_id')`and sims.company_id = :company_id`

const LIST = sql<SimRow, InScope>`${SIMS} where true ${IN_SCOPE} order by iccid, sims.company_id`

const BY_ICCID = sql<SimRow, { of: number; iccid: string } & InScope>`
  ${SIMS} where sims.company_id = :of and iccid = :iccid ${IN_SCOPE}`

const OF_DEVICES = sql<SimRow, { device_ids: readonly number[] }>`
  ${SIMS} where ${isIn('device_id', 'device_ids')} order by device_id, slot, sims.id`

const HOLD_OF_DEVICES = sql<Selectable<Sims>, { device_ids: readonly number[] }>`
  select * from sims where ${isIn('device_id', 'device_ids')} order by device_id, slot, id ${locked('sims')}`

const NAMED = sql<
  Pick<Selectable<Devices>, 'id' | 'networks' | 'names_sims'> & Pick<Selectable<Settings>, 'default_country'>,
  { uid: string } & InScope
>`
  select devices.id, networks, names_sims, default_country
  from devices join settings on settings.company_id = devices.company_id
  where uid = :uid and unlinked_at is null ${when('company_id')`and devices.company_id = :company_id`}`

const HOLD = sql<Selectable<Sims>, { id: number }>`select * from sims where id = :id ${locked('sims')}`

const BALANCE_DUE = sql<SimRow, { now: string }>`
  ${SIMS} where balance_due_at <= :now order by balance_due_at limit 100`

const DEVICES_OF = sql<{ device_id: number }, { sim_id: number }>`
  select device_id from sim_devices where sim_id = :sim_id`
