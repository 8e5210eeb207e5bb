import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { useState } from 'react'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { useForm } from '#console/core/form.ts'
import { optOuts as words } from './text.ts'
import { blockNumber } from './calls.ts'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { toast } from '#console/ui/toast.tsx'

/** Blocks a number by hand, such as after a phone call. */
export default function BlockForm({ onClose, onBlocked }: { onClose: () => void; onBlocked: () => void }) {
  const [typed, setTyped] = useState('')
  const [company, setCompany] = useState<number>()
  const form = useForm({
    save: (number: string) => blockNumber(number, company),
    failed: words.addFailed,
    onSaved(blocked) {
      toast({ text: words.added(blocked) })
      onBlocked()
    },
  })

  function submit(): void {
    const number = addOptOut.body.shape.number.safeParse(typed)
    if (number.success) form.send(number.data)
    else form.refuses({ number: words.numberWrong })
  }

  return (
    <FormModal
      title={words.add}
      form={form}
      action={words.add}
      intro={<p className="text-muted">{words.addMeans}</p>}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={words.number} hint={words.numberHint} error={form.fields.number}>
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
    </FormModal>
  )
}
