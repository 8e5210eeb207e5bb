import { ListTree } from 'lucide-react'
import { Suspense, useState, type ComponentType } from 'react'
import { send as words } from './text.ts'
import type { FieldValues, InsertedTemplate } from './template-fields.ts'
import { Button } from '#console/ui/button.tsx'

/** The company's templates and contacts, which a later area has. */
export type Templates = {
  /** Lets the user choose one of the company's templates; of any if it is undefined. */
  Chooser: ComponentType<{
    company: number | undefined
    onChoose: (template: InsertedTemplate) => void
    onClose: () => void
  }>
  /** What the number's contact puts in place of fields. Rejects if the contact cannot be loaded. */
  valuesOf: (number: string, company: number | undefined) => Promise<FieldValues>
}

/** The button that inserts a template. */
export function TemplateButton({
  Chooser,
  company,
  onChoose,
  onClosed,
}: {
  Chooser: Templates['Chooser']
  company: number | undefined
  onChoose: (template: InsertedTemplate) => void
  onClosed: () => void
}) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button tone="ghost" onClick={() => setOpen(true)}>
        <ListTree className="size-4" aria-hidden="true" />
        {words.templates}
      </Button>
      <Suspense>
        {open && (
          <Chooser
            company={company}
            onChoose={onChoose}
            onClose={() => {
              setOpen(false)
              onClosed()
            }}
          />
        )}
      </Suspense>
    </>
  )
}

/** The message and the fields after a template was inserted. */
export function withTemplate(
  { message, fields = [] }: { message: string; fields?: string[] | undefined },
  template: InsertedTemplate,
) {
  return {
    message: [message, template.text].filter(Boolean).join(' '),
    fields: [...new Set([...fields, ...template.fields])],
  }
}
