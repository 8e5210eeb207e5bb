import { type Template, TemplateChange } from '@sdd/contract/people/templates.ts'
import { parseTemplateText } from '@sdd/contract/people/template-text.ts'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { CompanyField, useCompanies } from '#console/accounts/companies/companies.tsx'
import { useForm } from '#console/core/form.ts'
import { fieldNamesIn } from './example.ts'
import { TemplatePreview } from './template-preview.tsx'
import { exampleContactsQuery, putTemplate } from './templates.ts'
import { templates as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormButtons } from '#console/ui/form-parts.tsx'
import { Form } from '#console/ui/form.tsx'
import { toast } from '#console/ui/toast.tsx'

const MOST_LETTERS = 2_000
/** The most fields that are offered. */
const MOST_FIELDS = 12

/** The form of a template, with the text as a contact would get it. */
export function TemplateForm({
  template,
  onClose,
  onChanged,
}: {
  /** Undefined for a new one. */
  template: Template | undefined
  onClose: () => void
  onChanged: () => void
}) {
  const [name, setName] = useState(template?.name ?? '')
  const [text, setText] = useState(template?.text ?? '')
  const [company, setCompany] = useState<number>()
  const [own] = useCompanies()
  const { data: all = [] } = useQuery(exampleContactsQuery)
  const of = template?.company_id ?? company ?? own?.id
  const contacts = all.filter(({ company_id }) => company_id === of)
  const field = useRef<HTMLTextAreaElement>(null)
  const form = useForm({
    save: (sent: TemplateChange) => putTemplate(sent, company),
    failed: words.saveFailed,
    onSaved(saved) {
      toast({ text: words.saved(saved.name) })
      onChanged()
    },
  })

  function submit(): void {
    const refused = form.refuses({
      name: TemplateChange.shape.name.safeParse(name).success ? undefined : words.nameWrong,
      text: textFault(text),
    })
    if (!refused) form.send({ ...(template && { id: template.id }), name, text })
  }

  /** Puts a field where the caret is. */
  function insert(fieldName: string): void {
    const { selectionStart: from, selectionEnd: to } = field.current!
    field.current!.focus()
    // As if it were typed, so that the browser can undo it.
    if (!document.execCommand('insertText', false, `{{${fieldName}}}`))
      setText(`${text.slice(0, from)}{{${fieldName}}}${text.slice(to)}`)
  }

  return (
    <Modal wide title={template?.name ?? words.add} onClose={() => !form.pending && onClose()}>
      <Form form={form} onSubmit={submit}>
        {!template && <CompanyField value={company} onChange={setCompany} />}
        <Field label={words.name} error={form.fields.name}>
          {(ids) => (
            <TextInput
              {...ids}
              tall
              autoComplete="off"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label={words.text} hint={words.textHint} error={form.fields.text}>
          {(ids) => (
            <textarea
              {...ids}
              ref={field}
              rows={4}
              dir="auto"
              value={text}
              onChange={({ target }) => setText(target.value)}
              className="resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 text-lg focus-visible:outline-offset-1 aria-invalid:border-bad-solid"
            />
          )}
        </Field>
        <fieldset className="flex flex-wrap gap-1.5">
          <legend className="mb-1.5 text-sm text-muted">{words.fields}</legend>
          {fieldNamesIn(contacts)
            .slice(0, MOST_FIELDS)
            .map((fieldName) => (
              <Button key={fieldName} size="sm" onClick={() => insert(fieldName)}>
                {fieldName === 'name' || fieldName === 'number' ? (
                  words.fieldNames[fieldName]
                ) : (
                  <code className="mono">{fieldName}</code>
                )}
              </Button>
            ))}
        </fieldset>
        <TemplatePreview text={text} contacts={contacts} />
        <FormButtons form={form} action={words.save} onCancel={onClose} />
      </Form>
    </Modal>
  )
}

function textFault(text: string): string | undefined {
  const { fault } = parseTemplateText(text)
  if (fault) return fault.why === 'not_closed' ? words.notClosed(fault.near) : words.notAField(fault.near)
  return text === '' || text.length > MOST_LETTERS ? words.textWrong(MOST_LETTERS) : undefined
}
