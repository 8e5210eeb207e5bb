import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { useState } from 'react'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { useForm } from '#console/core/form.ts'
import { optOuts as words } from './text.ts'
import { blockNumber } from './calls.ts'
import { Field } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { toast } from '#console/ui/toast.tsx'

const rule = addOptOut.body.shape.number

/** Blocks numbers by hand, such as after a phone call. */
export default function BlockForm({ onClose, onBlocked }: { onClose: () => void; onBlocked: () => void }) {
  const [typed, setTyped] = useState('')
  const [company, setCompany] = useState<number>()
  const form = useForm({
    async save(numbers: readonly string[]) {
      const blocked: string[] = []
      for (const number of numbers) blocked.push(await blockNumber(number, company))
      return blocked
    },
    failed: words.addFailed,
    onSaved(blocked) {
      toast({ text: blocked.length === 1 ? words.added(blocked[0]!) : words.addedSeveral(blocked.length) })
      onBlocked()
    },
  })

  function submit(): void {
    const given = typed.split(/[\n,;]/).filter((number) => number.trim() !== '')
    const read = (given.length === 0 ? [''] : given).map((number) => rule.safeParse(number))
    const wrong = given[read.findIndex(({ success }) => !success)]
    if (read.every(({ success }) => success)) form.send([...new Set(read.map(({ data }) => data!))])
    else
      form.refuses({ number: given.length > 1 && wrong ? words.oneWrong(wrong.trim()) : words.numberWrong })
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
          <textarea
            {...ids}
            rows={3}
            inputMode="tel"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 text-lg focus-visible:outline-offset-1 aria-invalid:border-bad-solid"
          />
        )}
      </Field>
      <CompanyField value={company} onChange={setCompany} />
    </FormModal>
  )
}
