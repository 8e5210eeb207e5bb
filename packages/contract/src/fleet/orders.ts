import * as z from 'zod/mini'
import { countParam, Cursor, Instant } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** What a device may be asked to do, besides sending messages. It names those that it can do. */
export const abilities = ['ussd', 'restart_radio', 'doctor', 'logs', 'configure'] as const
export const Ability = z.enum(abilities)
export type Ability = z.infer<typeof Ability>

/** A code that people dial, such as `*100#`. */
export const UssdCode = z.string().check(z.regex(/^[0-9*#+]{1,100}$/, 'must be 1 to 100 of 0-9 * # +'))

/** A code without arguments only asks for something. Others may move money or change the plan. */
export function asksOnly(code: string): boolean {
  return /^\*#?\d+#$/.test(code)
}

/** As JSON in UTF-8. */
const MAX_SETTINGS_BYTES = 4_096

/** What each order needs to know: its `with`. The others need nothing. */
export const orderDetails = {
  ussd: z.strictObject({ code: UssdCode }),
  logs: z.strictObject({ lines: z._default(z.int().check(z.gte(1), z.lte(1_000)), 200) }),
  configure: z.strictObject({
    settings: z
      .record(z.string(), z.unknown())
      .check(z.refine((settings) => bytesOf(settings) <= MAX_SETTINGS_BYTES, 'takes more than 4 KiB')),
  }),
} as const

function bytesOf(settings: unknown): number {
  return new TextEncoder().encode(JSON.stringify(settings)).length
}

const Details = z.record(z.string(), z.unknown())

export const NewOrder = z.strictObject({
  what: Ability,
  /** `{code}` for `ussd`, `{lines?}` for `logs`, `{settings}` for `configure`. */
  with: z.optional(Details),
  /** The code once more, if it may do more than ask. */
  confirm: z.optional(z.string().check(z.maxLength(100))),
  expires_in_secs: z._default(z.int().check(z.gte(10), z.lte(3_600)), 120),
})
export type NewOrder = z.infer<typeof NewOrder>

export const OrderState = z.enum(['given', 'answered', 'expired'])
export type OrderState = z.infer<typeof OrderState>

export const Order = z.object({
  id: z.int(),
  what: Ability,
  /** Null if it needs nothing, and for users who may not give orders. */
  with: z.nullable(Details),
  /** The name of the user who gave it. */
  by: z.nullable(z.string()),
  at: Instant,
  expires_at: Instant,
  state: OrderState,
  /** Null without an answer, as are the next three. */
  ok: z.nullable(z.boolean()),
  /** Of `ussd`, `logs` and `configure` it is null for users who may not give orders. */
  output: z.nullable(z.string()),
  code: z.nullable(z.string()),
  detail: z.nullable(z.string()),
  answered_at: z.nullable(Instant),
})
export type Order = z.infer<typeof Order>

export const OrderSelection = z.object({
  limit: z._default(countParam(1, 1_000), 100),
  cursor: z.optional(Cursor),
})
export type OrderSelection = z.infer<typeof OrderSelection>

const params = z.object({ uid: z.string() })

export const giveOrder = route('POST /api/device/:uid/orders', {
  summary: 'Asks a connected device to do something, once.',
  may: 'devices:manage',
  params,
  body: NewOrder,
  reply: z.object({ order: z.int() }),
  status: 202,
  errors: ['unknown_device', 'confirm_required', 'device_disconnected', 'not_able', 'order_under_way'],
})

export const listOrders = route('GET /api/device/:uid/orders', {
  summary: 'The orders to a device of the last 30 days with its answers, newest first.',
  params,
  query: OrderSelection,
  reply: z.object({ orders: z.array(Order), next_cursor: z.nullable(z.string()) }),
  errors: ['unknown_device'],
})
