import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { useRef, useState, type FormEvent } from 'react'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { fieldsOf, whyOf } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { optOuts as words } from './text.ts'
import { block } from './calls.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

/** Blocks a number by hand, for who asked on the telephone. */
export default function BlockForm({ onClose, onBlocked }: { onClose: () => void; onBlocked: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  const [typed, setTyped] = useState('')
  const [company, setCompany] = useState<number>()
  const [fault, setFault] = useState<{ said?: string; number?: string }>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (busy) return
    const number = addOptOut.body.shape.number.safeParse(typed)
    if (!number.success) return refuse({ number: words.numberWrong })
    setBusy(true)
    setFault(undefined)
    try {
      toast({ text: words.added(await block(number.data, company)) })
      onBlocked()
    } catch (why) {
      setBusy(false)
      refuse({ said: whyOf(why, words.addFailed), number: fieldsOf(why).number })
    }
  }

  function refuse(found: typeof fault): void {
    setFault(found)
    focusInvalid(form)
  }

  return (
    <Modal title={words.add} onClose={() => !busy && onClose()}>
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <p className="text-muted">{words.addMeans}</p>
        {fault?.said && <Notice tone="bad">{fault.said}</Notice>}
        <Field label={words.number} hint={words.numberHint} error={fault?.number}>
          {(ids) => (
            <TextInput
              {...ids}
              tall
              type="tel"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <CompanyField value={company} onChange={setCompany} />
        <div className="flex justify-end gap-2 pt-1">
          <Button size="lg" onClick={onClose} disabled={busy}>
            {text.cancel}
          </Button>
          <Button type="submit" tone="primary" size="lg" disabled={busy} aria-busy={busy}>
            {words.add}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
