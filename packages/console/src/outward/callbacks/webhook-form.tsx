import { CallbackType, NewWebhook, type MadeWebhook, usualTypes } from '@sdd/contract/outward/callbacks.ts'
import { useState } from 'react'
import { addWebhook } from './calls.ts'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { useForm } from '#console/core/form.ts'
import { callbackDialogs as words } from './dialog-text.ts'
import { callbacks } from './text.ts'
import { CheckList } from '#console/ui/check-list.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'

/** The form for a new webhook: its address and the types of callbacks that it receives. */
export function WebhookForm({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (made: MadeWebhook) => void
}) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly CallbackType[]>(usualTypes)
  const [company, setCompany] = useState<number>()
  const form = useForm({
    save: () => addWebhook({ url: url.trim(), types: [...types] }, company),
    failed: words.addFailed,
    onSaved: onMade,
  })

  function submit(): void {
    const refused = form.refuses({
      url: NewWebhook.shape.url.safeParse(url.trim()).success ? undefined : words.urlWrong,
      types: types.length === 0 ? words.noType : undefined,
    })
    if (!refused) form.send()
  }

  return (
    <FormModal title={callbacks.add} form={form} action={callbacks.add} onSubmit={submit} onClose={onClose}>
      <Field label={words.url} hint={words.urlHint} error={form.fields.url}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            required
            type="url"
            autoComplete="off"
            spellCheck={false}
            maxLength={2000}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <CheckList
        label={words.types}
        options={CallbackType.options}
        words={words.typeWords}
        chosen={types}
        fault={form.fields.types}
        onChange={setTypes}
      />
      <CompanyField value={company} onChange={setCompany} />
    </FormModal>
  )
}
