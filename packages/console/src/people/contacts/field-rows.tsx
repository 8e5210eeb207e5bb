import { X } from 'lucide-react'
import { useId } from 'react'
import type { ContactDraft } from './contact-draft.ts'
import { contactForm as words } from './form-text.ts'
import { Button } from '#console/ui/button.tsx'
import { TextInput } from '#console/ui/field.tsx'

/** The fields of a contact: a name and a value each. */
export function FieldRows({
  fields,
  fault,
  onChange,
}: {
  fields: ContactDraft['fields']
  fault: string | true | undefined
  onChange: (fields: ContactDraft['fields']) => void
}) {
  const saidId = useId()
  const edit = (at: number, part: Partial<ContactDraft['fields'][number]>) =>
    onChange(fields.map((field, n) => (n === at ? { ...field, ...part } : field)))
  return (
    <fieldset aria-describedby={saidId} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-semibold">{words.fields}</legend>
      {fields.map(({ name, value }, n) => (
        <div key={n} className="flex gap-2">
          <TextInput
            aria-label={words.fieldName(n + 1)}
            aria-invalid={fault ? true : undefined}
            className="w-32"
            size={1}
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={({ target }) => edit(n, { name: target.value })}
          />
          <TextInput
            aria-label={words.fieldValue(n + 1)}
            className="flex-1"
            size={1}
            autoComplete="off"
            value={value}
            onChange={({ target }) => edit(n, { value: target.value })}
          />
          <Button
            square
            tone="ghost"
            aria-label={words.removeField(n + 1)}
            title={words.removeField(n + 1)}
            onClick={() => onChange(fields.filter((_, at) => at !== n))}
          >
            <X className="size-4" aria-hidden="true" />
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange([...fields, { name: '', value: '' }])}>{words.addField}</Button>
      </div>
      <p id={saidId} className={`text-sm ${fault ? 'font-medium text-bad' : 'text-muted'}`}>
        {typeof fault === 'string' ? fault : words.fieldsHint}
      </p>
    </fieldset>
  )
}
