import { planStore } from '#server/fleet/sims/plans.store.ts'
import { simStore } from '#server/fleet/sims/store.ts'
import { routeListStore } from '#server/fleet/routes/store.ts'
import { iccidOf, NOW, numberOf } from './hot-rows.ts'
import type { HotStatement } from './hot-statement.ts'

/** SIM cards and routes, in a claim and when devices name their SIMs. */
export const sims: HotStatement[] = [
  {
    name: 'Hold the SIMs of 50 devices',
    writing: true,
    run: (tx, { devices }) => planStore(tx).hold(devices.slice(0, 50)),
    uses: ['sims_by_device'],
  },
  {
    name: 'Look which of two recipients count against the plan of a SIM',
    writing: true,
    run: (tx, { devices }) =>
      planStore(tx).counted([
        [devices[0]!, numberOf(1)],
        [devices[0]!, numberOf(2)],
      ]),
    uses: ['sim_recipients_pkey'],
  },
  {
    name: 'Look for the SIMs of a device',
    writing: true,
    run: (tx, { devices }) => simStore(tx, { company_id: 1 }).ofDevices([devices[0]!]),
    uses: ['devices_pkey', 'sims_by_device'],
  },
  {
    name: 'Look up a SIM by its ICCID',
    writing: true,
    run: (tx, { devices }) => simStore(tx, { company_id: 1 }).byIccid(1, iccidOf(devices[0]!)),
    uses: ['devices_pkey', 'sims_by_iccid'],
  },
  {
    name: 'Look for plans whose period is over',
    writing: false,
    run: (tx) => planStore(tx).over(NOW, 100),
    uses: ['sims_renewing'],
  },
  {
    name: 'Look for balances that are due',
    writing: false,
    run: (tx) => simStore(tx, 'all').due(NOW),
    uses: ['devices_pkey', 'sims_balance_due'],
  },
  {
    name: 'Look which tags of routes have devices',
    writing: true,
    run: (tx) => routeListStore(tx, 1).tagsInUse(['t1', 'nowhere'], 1),
    uses: ['device_tags_by_tag', 'devices_pkey'],
  },
]
