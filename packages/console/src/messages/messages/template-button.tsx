import { ListTree } from 'lucide-react'
import { Suspense, useState } from 'react'
import { send as words } from './text.ts'
import type { InsertedTemplate } from './template-fields.ts'
import type { Templates } from './templates.ts'
import { Button } from '#console/ui/button.tsx'

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
