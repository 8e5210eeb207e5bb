import { asksOnly, UssdCode } from '@sdd/contract/fleet/orders.ts'
import type { SimChange } from '@sdd/contract/fleet/sims.ts'
import { type ComponentProps, useState } from 'react'
import type * as z from 'zod/mini'
import { changedFields, isEmpty, useForm } from '#console/core/form.ts'
import { changeSim, isPattern, type KnownSim } from './sims.ts'
import { sims as words } from './text.ts'
import { boxLook, Field, inputLook, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { toast } from '#console/ui/toast.tsx'
import { wholeNumber } from '#console/ui/typed-number.ts'

type Change = z.input<typeof SimChange>

/** The fields as they are typed. */
function typedOf({ plan, balance_query: query, number, note }: KnownSim) {
  const written = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : String(value)
  return {
    number: number ?? '',
    note: note ?? '',
    hasPlan: plan !== null,
    parts: written(plan?.parts_per_month),
    recipients: written(plan?.recipients_per_month),
    renews: String(plan?.renews_on_day ?? 1),
    valid: plan?.valid_until ?? '',
    asks: query !== null,
    code: query?.code ?? '',
    confirm: query?.code ?? '',
    pattern: query?.pattern ?? '',
    currency: query?.currency ?? 'EUR',
    every: written(query?.every_hours),
  }
}
type Typed = ReturnType<typeof typedOf>
type Name = { [Field in keyof Typed]: Typed[Field] extends string ? Field : never }[keyof Typed]

/** The number, plan, balance query and note of a SIM. */
export default function SimDialog({
  sim,
  onSaved,
  onClose,
}: {
  sim: KnownSim
  onSaved: () => unknown
  onClose: () => void
}) {
  const [opened] = useState(() => typedOf(sim))
  const [typed, setTyped] = useState(opened)
  const form = useForm({
    async save() {
      const change = changedFields(contentOf(opened), contentOf(typed))
      if (!isEmpty(change)) await changeSim(sim, change)
    },
    failed: words.saveFailed,
    async onSaved() {
      await onSaved()
      toast({ text: words.saved })
      onClose()
    },
  })
  const set = (change: Partial<Typed>) => setTyped((now) => ({ ...now, ...change }))

  function input(
    name: Name,
    label: string,
    error: string,
    more: ComponentProps<'input'> & { hint?: string } = {},
  ) {
    const { hint, ...rest } = more
    return (
      <Field label={label} hint={hint} error={form.fields[error]}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            autoComplete="off"
            value={typed[name]}
            onChange={(event) => set({ [name]: event.target.value })}
            {...rest}
          />
        )}
      </Field>
    )
  }

  function check(name: 'hasPlan' | 'asks', label: string) {
    return (
      <label className="flex min-h-6 items-center gap-2 font-semibold max-md:min-h-11">
        <input
          type="checkbox"
          className="size-[18px] max-md:size-6"
          checked={typed[name]}
          onChange={(event) => set({ [name]: event.target.checked })}
        />
        {label}
      </label>
    )
  }

  return (
    <FormModal
      wide
      title={words.editTitle(sim.iccid)}
      form={form}
      action={words.save}
      onSubmit={() => {
        if (!form.refuses(faultsIn(typed))) form.send()
      }}
      onClose={onClose}
    >
      {input('number', words.number, 'number', { inputMode: 'tel', hint: words.numberHint })}
      {check('hasPlan', words.plan)}
      {typed.hasPlan && (
        <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
          {input('parts', words.perMonth, 'plan.parts_per_month', {
            inputMode: 'numeric',
            hint: words.noLimit,
          })}
          {input('recipients', words.recipientsPerMonth, 'plan.recipients_per_month', {
            inputMode: 'numeric',
            hint: words.noLimit,
          })}
          {input('renews', words.renewsOn, 'plan.renews_on_day', { inputMode: 'numeric' })}
          {input('valid', words.lastDay, 'plan.valid_until', { type: 'date' })}
          <p className="col-span-full text-sm text-muted">{words.planMeans}</p>
        </div>
      )}
      {check('asks', words.query)}
      {typed.asks && (
        <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
          {input('code', words.code, 'balance_query.code', { inputMode: 'tel', hint: words.codeHint })}
          {input('currency', words.currency, 'balance_query.currency', { maxLength: 3 })}
          {mayDoMore(typed) && input('confirm', words.confirm, 'balance_query.confirm', { inputMode: 'tel' })}
          {input('pattern', words.pattern, 'balance_query.pattern', {
            maxLength: 200,
            hint: words.patternHint,
          })}
          {input('every', words.every, 'balance_query.every_hours', {
            inputMode: 'numeric',
            hint: words.everyHint,
          })}
        </div>
      )}
      <Field label={words.note} error={form.fields.note}>
        {(ids) => (
          <span className={`${boxLook} px-2.5 py-2`}>
            <textarea
              {...ids}
              rows={3}
              maxLength={2000}
              className={`resize-y ${inputLook}`}
              value={typed.note}
              onChange={(event) => set({ note: event.target.value })}
            />
          </span>
        )}
      </Field>
    </FormModal>
  )
}

const MOST = 1_000_000

/** Whether the code may do more than ask, so that it is typed twice. */
function mayDoMore(typed: Typed): boolean {
  const code = typed.code.trim()
  return UssdCode.safeParse(code).success && !asksOnly(code)
}

/** The faults that need no question to the server, by the names of its fields. */
function faultsIn(typed: Typed): Record<string, string | undefined> {
  const count = (text: string, least: number, most: number, isNeeded = false) => {
    if (text.trim() === '' && !isNeeded) return undefined
    return wholeNumber(text, least, most) === undefined ? words.countRule(least, most) : undefined
  }
  return {
    ...(typed.hasPlan && {
      'plan.parts_per_month': count(typed.parts, 0, MOST),
      'plan.recipients_per_month': count(typed.recipients, 0, MOST),
      'plan.renews_on_day': count(typed.renews, 1, 31, true),
    }),
    ...(typed.asks && {
      'balance_query.code': UssdCode.safeParse(typed.code.trim()).success ? undefined : words.codeRule,
      'balance_query.confirm':
        mayDoMore(typed) && typed.confirm.trim() !== typed.code.trim() ? words.confirmRule : undefined,
      'balance_query.pattern': isPattern(typed.pattern) ? undefined : words.patternRule,
      'balance_query.currency': /^[A-Z]{3}$/.test(typed.currency) ? undefined : words.currencyRule,
      'balance_query.every_hours': count(typed.every, 1, 168),
    }),
  }
}

function contentOf(typed: Typed): Change {
  const count = (text: string) => wholeNumber(text, 0, MOST) ?? null
  return {
    // The device's own number is not one written by hand, so it is only sent if it was changed.
    number: typed.number.trim() || null,
    note: typed.note || null,
    plan: typed.hasPlan
      ? {
          parts_per_month: count(typed.parts),
          recipients_per_month: count(typed.recipients),
          renews_on_day: wholeNumber(typed.renews, 1, 31),
          valid_until: typed.valid || null,
        }
      : null,
    balance_query: typed.asks
      ? {
          code: typed.code.trim(),
          ...(mayDoMore(typed) && { confirm: typed.confirm.trim() }),
          pattern: typed.pattern,
          currency: typed.currency,
          every_hours: count(typed.every),
        }
      : null,
  }
}
