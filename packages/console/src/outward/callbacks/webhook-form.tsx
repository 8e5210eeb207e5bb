import { CallbackType, NewWebhook, type MadeWebhook } from '@sdd/contract/outward/callbacks.ts'
import { useRef, useState, type FormEvent } from 'react'
import { addWebhook } from './calls.ts'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { fieldsOf, whyOf } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { callbackDialogs as words } from './dialog-text.ts'
import { callbacks } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { CheckList } from '#console/ui/check-list.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'

type Faults = { said?: string; url?: string; types?: string }

/** A new webhook: where to, and what of. */
export function WebhookForm({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (made: MadeWebhook) => void
}) {
  const form = useRef<HTMLFormElement>(null)
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly CallbackType[]>(CallbackType.options)
  const [company, setCompany] = useState<number>()
  const [faults, setFaults] = useState<Faults>({})
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (busy) return
    const found: Faults = {
      url: NewWebhook.shape.url.safeParse(url.trim()).success ? undefined : words.urlWrong,
      types: types.length === 0 ? words.noType : undefined,
    }
    if (found.url || found.types) return refuse(found)
    setBusy(true)
    setFaults({})
    try {
      onMade(await addWebhook({ url: url.trim(), types: [...types] }, company))
    } catch (fault) {
      setBusy(false)
      refuse({ ...fieldsOf(fault), said: whyOf(fault, words.addFailed) })
    }
  }

  function refuse(found: Faults): void {
    setFaults(found)
    focusInvalid(form)
  }

  return (
    <Modal title={callbacks.add} onClose={() => !busy && onClose()}>
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        {faults.said && <Notice tone="bad">{faults.said}</Notice>}
        <Field label={words.url} hint={words.urlHint} error={faults.url}>
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
          fault={faults.types}
          onChange={setTypes}
        />
        <CompanyField value={company} onChange={setCompany} />
        <div className="flex justify-end gap-2 pt-1">
          <Button size="lg" onClick={onClose} disabled={busy}>
            {text.cancel}
          </Button>
          <Button type="submit" tone="primary" size="lg" disabled={busy} aria-busy={busy}>
            {callbacks.add}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
