import * as z from 'zod/mini'
import { CompanyQuery, Instant, PhoneNumber } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { NetworkSim } from './devices.ts'
import { UssdCode } from './orders.ts'

/** An ICCID as it is stored: 18 to 22 digits. `undefined` for anything else. */
export function keptIccid(written: string): string | undefined {
  const kept = written.replace(/[\s\u2010-\u2015-]/g, '').replace(/F$/i, '')
  return /^\d{18,22}$/.test(kept) ? kept : undefined
}

const Limit = z.nullable(z.int().check(z.gte(0), z.lte(1_000_000)))

/** What the contract of a SIM allows in a month. A null limit is none. */
export const SimPlan = z.object({
  parts_per_month: Limit,
  recipients_per_month: Limit,
  /** The period begins at midnight of this day, in a shorter month on its last. */
  renews_on_day: z.int().check(z.gte(1), z.lte(31)),
  /** The last day on which the SIM may send. */
  valid_until: z.nullable(z.iso.date('must be a date, such as 2026-12-31')),
})
export type SimPlan = z.infer<typeof SimPlan>

/** The longest time between two questions for a balance. */
export const BALANCE_HOURS_MOST = 168

const NewPlan = z.strictObject({
  parts_per_month: z._default(Limit, null),
  recipients_per_month: z._default(Limit, null),
  renews_on_day: z._default(SimPlan.shape.renews_on_day, 1),
  valid_until: z._default(SimPlan.shape.valid_until, null),
})

/** How to ask for the balance of a SIM, and how to read the answer. */
export const BalanceQuery = z.object({
  code: UssdCode,
  /** A text with `{amount}` once, and `*` for anything. It is looked for anywhere in the answer, without case. */
  pattern: z.string().check(
    z.maxLength(200),
    // A pattern, so that the API's description has it.
    z.regex(/^((?!\{amount\})[^])*\{amount\}((?!\{amount\})[^])*$/, 'must have {amount} once'),
  ),
  currency: z.string().check(z.regex(/^[A-Z]{3}$/, 'must be three capital letters, such as EUR')),
  /** How often the server asks by itself; null: never. */
  every_hours: z.nullable(z.int().check(z.gte(1), z.lte(BALANCE_HOURS_MOST))),
})
export type BalanceQuery = z.infer<typeof BalanceQuery>

const NewBalanceQuery = z.strictObject({
  ...BalanceQuery.shape,
  every_hours: z._default(BalanceQuery.shape.every_hours, null),
  /** The code once more, if it may do more than ask. */
  confirm: z.optional(z.string().check(z.maxLength(100))),
})

export const Balance = z.object({ amount: z.number(), currency: z.string(), asked_at: Instant })
export type Balance = z.infer<typeof Balance>

const Count = z.int().check(z.gte(0))

/** The traffic of a SIM in the present period. A recipient counts once. */
export const SimUse = z.object({ parts: Count, recipients: Count, since: Instant, until: Instant })
export type SimUse = z.infer<typeof SimUse>

export const Sim = z.object({
  company_id: z.int(),
  iccid: z.string(),
  /** Written by hand, or as its device says it. */
  number: z.nullable(z.string()),
  operator: z.nullable(z.string()),
  /** The device that it is in; null if no device names it any more. */
  device_uid: z.nullable(z.string()),
  plan: z.nullable(SimPlan),
  used: SimUse,
  /** As last read; null before that. */
  balance: z.nullable(Balance),
  balance_query: z.nullable(BalanceQuery),
  note: z.nullable(z.string()),
})
export type Sim = z.infer<typeof Sim>

/** A SIM of a device. Without an ICCID nothing is known of it but what the device says. */
export const DeviceSim = z.extend(Sim, {
  iccid: z.nullable(z.string()),
  /** As the device numbers it. */
  slot: NetworkSim.shape.slot,
})
export type DeviceSim = z.infer<typeof DeviceSim>

/** Absent fields stay as they are, and null clears one. */
export const SimChange = z
  .strictObject({
    /** Messages may ask for it by `from_number`. Null: as the device says it. */
    number: z.optional(z.nullable(PhoneNumber)),
    note: z.optional(
      z.nullable(
        z
          .string()
          .check(
            z.regex(/^([^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, 'holds a character that cannot be seen: type it again'),
            z.trim(),
            z.maxLength(2_000),
          ),
      ),
    ),
    plan: z.optional(z.nullable(NewPlan)),
    balance_query: z.optional(z.nullable(NewBalanceQuery)),
  })
  .check(
    z.refine((change) => Object.values(change).some((value) => value !== undefined), {
      error: 'is required: name a field to change',
      params: { field_code: 'required' },
    }),
  )
  .register(z.globalRegistry, { minProperties: 1 })
export type SimChange = z.infer<typeof SimChange>

/** An ICCID in a path, as people write it. */
const IccidParam = z.string().check(
  z.overwrite((written) => keptIccid(written) ?? written),
  z.maxLength(64),
)

const params = z.object({ iccid: IccidParam })

export const listSims = route('GET /api/sims', {
  summary: 'The SIM cards that devices have named, by ICCID, with their plans and what is used of them.',
  reply: z.object({ sims: z.array(Sim) }),
})

export const saveSim = route('POST /api/sims/:iccid', {
  summary: "Changes a SIM card's number, note, plan, or how to ask for its balance.",
  may: 'devices:manage',
  params,
  query: CompanyQuery,
  body: SimChange,
  reply: Sim,
  errors: ['unknown_company', 'unknown_sim', 'confirm_required'],
})

export const askBalance = route('POST /api/sims/:iccid/balance', {
  summary: 'Asks for the balance of a SIM card, by an order to its device.',
  may: 'devices:manage',
  params,
  query: CompanyQuery,
  reply: z.object({ order: z.int() }),
  status: 202,
  errors: [
    'unknown_company',
    'unknown_sim',
    'no_balance_query',
    'sim_away',
    'device_disconnected',
    'not_able',
    'order_under_way',
  ],
})
