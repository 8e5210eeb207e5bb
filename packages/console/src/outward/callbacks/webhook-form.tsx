import {
  CallbackFormat,
  CallbackType,
  NewWebhook,
  type MadeWebhook,
  usualTypes,
} from '@sdd/contract/outward/callbacks.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addWebhook } from './calls.ts'
import { apiKeysQuery } from '#console/accounts/api-keys/calls.ts'
import { CompanyField, useCompanies } from '#console/accounts/companies/companies.tsx'
import { useForm } from '#console/core/form.ts'
import { callbackDialogs as words } from './dialog-text.ts'
import { callbacks } from './text.ts'
import { CheckList } from '#console/ui/check-list.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'

/** The form for a new webhook: its address, the types of callbacks that it receives, and their form. */
export function WebhookForm({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (made: MadeWebhook) => void
}) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly CallbackType[]>(usualTypes)
  const [format, setFormat] = useState<CallbackFormat>()
  const [key, setKey] = useState('')
  const [company, setCompany] = useState<number>()
  const form = useForm({
    save: () =>
      addWebhook(
        format
          ? {
              url: url.trim(),
              types: ['sms.received'],
              format,
              ...(format === 'twilio' && { api_key_id: Number(key) }),
            }
          : { url: url.trim(), types: [...types] },
        company,
      ),
    failed: words.addFailed,
    onSaved: onMade,
  })

  function submit(): void {
    const refused = form.refuses({
      url: NewWebhook.shape.url.safeParse(url.trim()).success ? undefined : words.urlWrong,
      types: !format && types.length === 0 ? words.noType : undefined,
      api_key_id: format === 'twilio' && key === '' ? words.keyMissing : undefined,
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
      <Field label={words.format} hint={words.formatHints[format ?? 'json']} error={form.fields.format}>
        {(ids) => (
          <Select
            {...ids}
            tall
            value={format ?? 'json'}
            onChange={({ target }) => setFormat(CallbackFormat.safeParse(target.value).data)}
          >
            {(['json', ...CallbackFormat.options] as const).map((one) => (
              <option key={one} value={one}>
                {words.formats[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {!format && (
        <CheckList
          label={words.types}
          options={CallbackType.options}
          words={words.typeWords}
          chosen={types}
          fault={form.fields.types}
          onChange={setTypes}
        />
      )}
      {format === 'twilio' && (
        <KeyField value={key} company={company} error={form.fields.api_key_id} onChange={setKey} />
      )}
      <CompanyField
        value={company}
        onChange={(chosen) => {
          setCompany(chosen)
          setKey('')
        }}
      />
    </FormModal>
  )
}

/** The key that signs each request and sends the answers. It must be allowed to read received SMS. */
function KeyField({
  value,
  company,
  error,
  onChange,
}: {
  value: string
  /** Undefined: the user's own. */
  company: number | undefined
  error: string | true | undefined
  onChange: (id: string) => void
}) {
  const { data: keys = [] } = useQuery(apiKeysQuery)
  const [own] = useCompanies()
  const of = company ?? own?.id
  const fitting = keys.filter(
    ({ may, company_id }) => may.includes('inbox:read') && (of === undefined || company_id === of),
  )
  return (
    <Field label={words.key} hint={fitting.length === 0 ? words.noKey : words.keyHint} error={error}>
      {(ids) => (
        <Select {...ids} tall value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">{words.chooseKey}</option>
          {fitting.map(({ id, name, hint }) => (
            <option key={id} value={id}>
              {name} ({hint}…)
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
