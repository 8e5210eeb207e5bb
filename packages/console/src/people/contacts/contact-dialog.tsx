import type { Contact } from '@sdd/contract/people/contacts.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import type { ContactDraft } from './contact-draft.ts'
import { ContactForm } from './contact-form.tsx'
import { contactQuery, removeContact } from './contacts.ts'
import { contactForm as words } from './form-text.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { toast } from '#console/ui/toast.tsx'

type Closing = { onClose: () => void; onChanged: () => void }

/**
 * A contact, to be seen and changed; a new one without a number. `creates`: in a conversation, whose number may have no
 * contact yet.
 */
export default function ContactDialog({
  number,
  company,
  creates = false,
  ...closing
}: { number: string | undefined; company: string | undefined; creates?: boolean } & Closing) {
  if (number === undefined) return <ContactForm contact={undefined} company={undefined} {...closing} />
  return <KnownContact number={number} company={company} creates={creates} {...closing} />
}

function KnownContact({
  number,
  company,
  creates,
  onClose,
  onChanged,
}: { number: string; company: string | undefined; creates: boolean } & Closing) {
  // Read once: a change by another user must not replace the typed texts.
  const { data, error, refetch } = useQuery({
    ...contactQuery(number, company),
    // Of its own, because other screens may have loaded the contact long ago.
    queryKey: ['contacts', 'form', number, company],
    meta: { refresh: 'own' },
    staleTime: Infinity,
    gcTime: 0,
  })
  const [removing, setRemoving] = useState<Contact>()
  /** What the form had when its question opened in its place. */
  const [kept, setKept] = useState<ContactDraft>()
  if (removing) {
    return (
      <RemoveContact
        contact={removing}
        company={company}
        onClose={() => setRemoving(undefined)}
        onChanged={onChanged}
      />
    )
  }
  const contact = data === null && creates ? blankContact(number) : data
  if (contact) {
    return (
      <ContactForm
        contact={contact}
        company={company}
        writes={!creates}
        kept={kept}
        onRemove={
          data
            ? (draft) => {
                setKept(draft)
                setRemoving(data)
              }
            : undefined
        }
        onClose={onClose}
        onChanged={onChanged}
      />
    )
  }
  return (
    <Modal title={number} onClose={onClose}>
      {error || data === null ? (
        <Notice
          tone="bad"
          retry={
            data === null
              ? { label: text.close, run: onClose }
              : { label: text.retry, run: () => void refetch() }
          }
        >
          {data === null ? words.gone : words.loadFailed}
        </Notice>
      ) : (
        <Skeleton kind="form" />
      )}
    </Modal>
  )
}

/** A number that is in no contacts. Saving its form adds it. */
function blankContact(number: string): Contact {
  return {
    company_id: 0,
    number,
    name: null,
    fields: {},
    lists: [],
    consent: null,
    opted_out: false,
    updated_at: '',
  }
}

function RemoveContact({
  contact: { number },
  company,
  onClose,
  onChanged,
}: { contact: Contact; company: string | undefined } & Closing) {
  const form = useForm({
    save: () => removeContact(number, company),
    failed: words.removeFailed,
    onSaved() {
      toast({ text: words.removed(number) })
      onChanged()
    },
  })
  return (
    <Confirm
      title={words.removeTitle(number)}
      action={words.remove}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p className="text-muted">{words.removeMeans}</p>
    </Confirm>
  )
}
