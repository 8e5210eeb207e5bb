import { asksOnly, UssdCode } from '@sdd/contract/fleet/orders.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { OrderAnswer, OrderState } from './order-answer.tsx'
import { ask, isPending, ordersQuery, useOrders, type Asked } from './orders.ts'
import { settingsOf } from './order-settings.ts'
import { orders as words } from './text.ts'
import type { OrderDialogName } from '#console/fleet/devices/devices.ts'
import { boxLook, Field, inputLook, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { text } from '#console/core/text.ts'
import { wholeNumber } from '#console/ui/typed-number.ts'

/** Asks a device to do something, and shows its answer. */
export default function OrderDialog({
  uid,
  what,
  holds,
  onClose,
}: {
  uid: string
  what: OrderDialogName
  /** How many messages the device has. */
  holds: number
  onClose: () => void
}) {
  const client = useQueryClient()
  const [code, setCode] = useState('')
  const [repeated, setRepeated] = useState('')
  const [lines, setLines] = useState('200')
  const [settings, setSettings] = useState('')
  const [given, setGiven] = useState<number>()
  const { orders } = useOrders(uid)
  const order = orders?.find(({ id }) => id === given)
  const waits = given !== undefined && (!order || isPending(order))
  const form = useForm({
    save: (order: Asked) => ask(uid, order),
    failed: words.failed,
    onSaved(id) {
      setGiven(id)
      // Not awaited: the dialog may be closed meanwhile.
      void client.invalidateQueries(ordersQuery(uid))
    },
  })
  const mayDoMore = UssdCode.safeParse(code).success && !asksOnly(code)

  const submits: Record<OrderDialogName, () => void> = {
    ussd() {
      const fault = UssdCode.safeParse(code).success ? undefined : words.codeRule
      const confirm = mayDoMore && repeated !== code ? words.confirmRule : undefined
      if (!form.refuses({ code: fault, confirm }))
        form.send({ what, with: { code }, ...(mayDoMore && { confirm: repeated }) })
    },
    restart_radio: () => form.send({ what }),
    logs() {
      const count = wholeNumber(lines, 1, 1_000)
      if (!form.refuses({ lines: count === undefined ? words.linesRule : undefined }))
        form.send({ what, with: { lines: count } })
    },
    configure() {
      const wanted = settingsOf(settings)
      if (!form.refuses({ settings: wanted ? undefined : words.settingsRule }))
        form.send({ what, with: { settings: wanted } })
    },
  }

  const actions: Record<OrderDialogName, string> = {
    ussd: words.dial,
    restart_radio: words.restart,
    logs: words.ask,
    configure: words.change,
  }

  return (
    <FormModal
      wide
      title={words.titleOf(words.what[what], uid)}
      form={form}
      action={waits ? words.given : actions[what]}
      cancel={text.close}
      intro={what === 'restart_radio' ? <p>{words.restartMeans(holds)}</p> : undefined}
      onSubmit={() => {
        if (!waits) submits[what]()
      }}
      onClose={onClose}
    >
      {what === 'ussd' && (
        <>
          <Field
            label={words.code}
            hint={words.codeHint}
            error={form.fields.code ?? form.fields['with.code']}
          >
            {(ids) => (
              <TextInput
                {...ids}
                tall
                autoComplete="off"
                inputMode="tel"
                value={code}
                onChange={(event) => setCode(event.target.value.trim())}
              />
            )}
          </Field>
          {mayDoMore && (
            <Field label={words.confirm} error={form.fields.confirm}>
              {(ids) => (
                <TextInput
                  {...ids}
                  tall
                  autoComplete="off"
                  inputMode="tel"
                  value={repeated}
                  onChange={(event) => setRepeated(event.target.value.trim())}
                />
              )}
            </Field>
          )}
        </>
      )}
      {what === 'logs' && (
        <Field label={words.lines} hint={words.linesHint} error={form.fields.lines}>
          {(ids) => (
            <TextInput
              {...ids}
              tall
              type="number"
              inputMode="numeric"
              min={1}
              max={1_000}
              value={lines}
              onChange={(event) => setLines(event.target.value)}
            />
          )}
        </Field>
      )}
      {what === 'configure' && (
        <Field label={words.settings} hint={words.settingsHint} error={form.fields.settings}>
          {(ids) => (
            <span className={`${boxLook} px-2.5 py-2`}>
              <textarea
                {...ids}
                rows={4}
                spellCheck={false}
                className={`resize-y font-mono ${inputLook}`}
                value={settings}
                onChange={(event) => setSettings(event.target.value)}
              />
            </span>
          )}
        </Field>
      )}
      {given !== undefined && (
        <section aria-label={words.answer} aria-live="polite">
          {order && !waits ? (
            <>
              <OrderState order={order} />
              <OrderAnswer order={order} />
            </>
          ) : (
            <p className="text-muted">{words.given}</p>
          )}
        </section>
      )}
    </FormModal>
  )
}
