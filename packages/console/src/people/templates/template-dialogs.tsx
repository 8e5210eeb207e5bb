import type { Template } from '@sdd/contract/people/templates.ts'
import { TemplateForm } from './template-form.tsx'
import { RemoveTemplate } from './remove-template.tsx'
import { templates as words } from './text.ts'
import { EntryDialog } from '#console/ui/entry-dialog.tsx'

/** The form of a new or an open template, or the question before one is deleted. */
export default function OpenTemplate({
  open,
  rows,
  onClose,
  onChanged,
}: {
  open: string
  rows: readonly Template[]
  onClose: () => void
  onChanged: () => void
}) {
  return (
    <EntryDialog open={open} rows={rows} title={words.title} gone={words.gone} onClose={onClose}>
      {(template, removes) =>
        template && removes ? (
          <RemoveTemplate template={template} onClose={onClose} onChanged={onChanged} />
        ) : (
          <TemplateForm template={template} onClose={onClose} onChanged={onChanged} />
        )
      }
    </EntryDialog>
  )
}
