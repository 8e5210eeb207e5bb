import type { Device } from '@sdd/contract/fleet/devices.ts'
import type { DeviceSim } from '@sdd/contract/fleet/sims.ts'
import { exampleNetworks } from './examples.ts'

const [first] = exampleNetworks.mobile.sims

/** Its plan is nearly used up, and its balance is low. The second one has no ICCID. */
export function exampleSims({ uid, company_id }: Pick<Device, 'uid' | 'company_id'>): DeviceSim[] {
  const used = { since: '2026-06-01T00:00:00.000Z', until: '2026-07-01T00:00:00.000Z' }
  const common = { company_id, device_uid: uid, balance_query: null, note: null }
  return [
    {
      ...common,
      slot: 1,
      iccid: first!.iccid,
      number: first!.phone_number,
      operator: first!.operator_name,
      plan: {
        parts_per_month: 2_000,
        recipients_per_month: 500,
        renews_on_day: 1,
        valid_until: '2026-12-31',
      },
      used: { parts: 1_870, recipients: 212, ...used },
      balance: { amount: 3.5, currency: 'EUR', asked_at: '2026-06-10T06:00:00.000Z' },
      balance_query: { code: '*100#', pattern: 'Saldo: {amount}', currency: 'EUR', every_hours: 24 },
    },
    {
      ...common,
      slot: 2,
      iccid: null,
      number: null,
      operator: 'Orange',
      plan: null,
      used: { parts: 0, recipients: 0, ...used },
      balance: null,
    },
  ]
}
