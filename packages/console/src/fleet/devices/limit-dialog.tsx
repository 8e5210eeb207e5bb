import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { deviceBulk as words } from './bulk-text.ts'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { wholeNumber } from '#console/ui/typed-number.ts'

const MOST = 100_000

/** Asks for one daily limit. */
export function LimitDialog({
  title,
  limit: current,
  onLimit,
  onClose,
}: {
  title: string
  /** The limit until now. */
  limit?: number | undefined
  onLimit: (limit: number) => unknown
  onClose: () => void
}) {
  const [typed, setTyped] = useState(current === undefined ? '' : String(current))
  const form = useForm({ save: async (limit: number) => onLimit(limit), failed: words.failed })

  function submit(): void {
    const limit = wholeNumber(typed, 0, MOST)
    if (!form.refuses({ limit: limit === undefined ? words.limitRange : undefined })) form.send(limit!)
  }

  return (
    <FormModal title={title} form={form} action={words.apply} onSubmit={submit} onClose={onClose}>
      <Field label={words.limitLabel} hint={words.limitHint} error={form.fields.limit}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            type="number"
            inputMode="numeric"
            min={0}
            max={MOST}
            step={1}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
    </FormModal>
  )
}
