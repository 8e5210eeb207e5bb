import type { Template } from '@sdd/contract/people/templates.ts'
import { useState } from 'react'
import { text } from '#console/core/text.ts'
import { TemplateForm } from './template-form.tsx'
import { RemoveTemplate } from './remove-template.tsx'
import { templates as words } from './text.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

const REMOVES = 'remove-'

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
  const removes = open.startsWith(REMOVES)
  // A copy from when the dialog opened: a change by another user must not replace the typed texts.
  const [template] = useState(() =>
    rows.find(({ id }) => String(id) === open.slice(removes ? REMOVES.length : 0)),
  )
  if (open === 'new') return <TemplateForm template={undefined} onClose={onClose} onChanged={onChanged} />
  if (!template) {
    return (
      <Modal title={words.title} onClose={onClose}>
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.gone}
        </Notice>
      </Modal>
    )
  }
  if (removes) return <RemoveTemplate template={template} onClose={onClose} onChanged={onChanged} />
  return <TemplateForm template={template} onClose={onClose} onChanged={onChanged} />
}
