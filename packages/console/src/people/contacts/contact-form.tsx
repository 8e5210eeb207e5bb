import type { Contact } from '@sdd/contract/people/contacts.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadsConversations } from '#console/accounts/settings/settings.ts'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { faultText, fieldErrors } from '#console/core/api.ts'
import { useForm } from '#console/core/form.ts'
import { ConsentFields } from './consent-fields.tsx'
import { changeOf, contactFaults, draftOf, type ContactDraft } from './contact-draft.ts'
import { listsQuery, putContact } from './contacts.ts'
import { FieldRows } from './field-rows.tsx'
import { contactForm as words } from './form-text.ts'
import { Button, buttonLook } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormButtons } from '#console/ui/form-parts.tsx'
import { Form } from '#console/ui/form.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

/** The most lists that the hint names. */
const MOST_NAMED = 8

/** The form of a contact. Only changed parts are sent. */
export function ContactForm({
  contact,
  company: ofContact,
  kept,
  writes = true,
  onRemove,
  onClose,
  onChanged,
}: {
  /** Undefined for a new one. */
  contact: Contact | undefined
  company: string | undefined
  /** The unsaved input of the form when it was last shown. */
  kept?: ContactDraft | undefined
  /** Offers to write to the contact. */
  writes?: boolean
  onRemove?: ((draft: ContactDraft) => void) | undefined
  onClose: () => void
  onChanged: () => void
}) {
  const [draft, setDraft] = useState(() => kept ?? draftOf(contact, Date.now()))
  const [chosen, setChosen] = useState<number>()
  const company = contact ? ofContact : chosen === undefined ? undefined : String(chosen)
  const { data: lists = [] } = useQuery(listsQuery())
  const edit = (next: Partial<ContactDraft>) => setDraft((now) => ({ ...now, ...next }))
  const form = useForm({
    save: (sent: ContactDraft) => putContact(sent.number.trim(), changeOf(sent, contact), company),
    failed: (fault) => ({ said: faultText(fault, words.saveFailed), fields: partFaults(fieldErrors(fault)) }),
    onSaved({ number }) {
      toast({ text: words.saved(number) })
      onChanged()
    },
  })
  const { fields } = form

  function submit(): void {
    if (!form.refuses(contactFaults(draft, Date.now()))) form.send(draft)
  }

  return (
    <Modal wide title={contact ? contact.number : words.addTitle} onClose={() => !form.pending && onClose()}>
      <Form form={form} onSubmit={submit}>
        {contact?.opted_out && <Notice tone="warn">{words.optedOut}</Notice>}
        {!contact && (
          <>
            <CompanyField value={chosen} onChange={setChosen} />
            <Field label={words.number} hint={words.numberHint} error={fields['number']}>
              {(ids) => (
                <TextInput
                  {...ids}
                  tall
                  type="tel"
                  autoComplete="off"
                  value={draft.number}
                  onChange={({ target }) => edit({ number: target.value })}
                />
              )}
            </Field>
          </>
        )}
        <Field label={words.name} error={fields['name']}>
          {(ids) => (
            <TextInput
              {...ids}
              tall
              autoComplete="off"
              value={draft.name}
              onChange={({ target }) => edit({ name: target.value })}
            />
          )}
        </Field>
        <Field
          label={words.lists}
          hint={words.listsHint(
            lists
              .slice(0, MOST_NAMED)
              .map(({ name }) => name)
              .join('; '),
          )}
          error={fields['lists']}
        >
          {(ids) => (
            <TextInput
              {...ids}
              tall
              autoComplete="off"
              value={draft.lists}
              onChange={({ target }) => edit({ lists: target.value })}
            />
          )}
        </Field>
        <FieldRows
          fields={draft.fields}
          fault={fields['fields']}
          onChange={(next) => edit({ fields: next })}
        />
        <ConsentFields consent={contact?.consent ?? null} draft={draft} faults={fields} onEdit={edit} />
        <FormButtons form={form} action={words.save} onCancel={onClose}>
          {contact && (
            <span className="mr-auto flex flex-wrap gap-2 max-md:w-full">
              {onRemove && (
                <Button size="lg" onClick={() => onRemove(draft)} disabled={form.pending}>
                  {words.remove}
                </Button>
              )}
              {writes && <WriteLink {...contact} />}
            </span>
          )}
        </FormButtons>
      </Form>
    </Modal>
  )
}

/** Leads to the conversation; to the send form for a user who may not read conversations. */
function WriteLink({ number, company_id }: Contact) {
  const look = buttonLook({ size: 'lg' })
  if (!useReadsConversations())
    return (
      <Link to="/sms" search={{ to: number }} className={look}>
        {words.write}
      </Link>
    )
  return (
    <Link
      to="/conversations"
      search={{ filter: 'all', open: number, company: String(company_id) }}
      state={{ writes: true }}
      className={look}
    >
      {words.write}
    </Link>
  )
}

/** A fault of a part, such as `fields.city` or `consent.how`, belongs to its field of the form. */
function partFaults(faults: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(faults).map(([name, said]) => [
      name.startsWith('consent.') ? name.slice('consent.'.length) : name.split('.')[0]!,
      said,
    ]),
  )
}
