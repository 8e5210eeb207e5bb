import type { Keyword } from '@sdd/contract/messages/keywords.ts'
import { useState } from 'react'
import { text } from '#console/core/text.ts'
import { KeywordForm } from './keyword-form.tsx'
import { RemoveKeyword } from './remove-keyword.tsx'
import { keywords as words } from './text.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

const REMOVES = 'remove-'

/** The form of a new or an open keyword, or the question before one is deleted. */
export default function OpenKeyword({
  open,
  rows,
  onClose,
  onChanged,
}: {
  open: string
  rows: readonly Keyword[]
  onClose: () => void
  onChanged: () => void
}) {
  const removes = open.startsWith(REMOVES)
  // A copy from when the dialog opened: a change by another user must not replace the typed texts.
  const [keyword] = useState(() =>
    rows.find(({ id }) => String(id) === open.slice(removes ? REMOVES.length : 0)),
  )
  if (open === 'new') return <KeywordForm keyword={undefined} onClose={onClose} onChanged={onChanged} />
  if (!keyword) {
    return (
      <Modal title={words.title} onClose={onClose}>
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.gone}
        </Notice>
      </Modal>
    )
  }
  if (removes) return <RemoveKeyword keyword={keyword} onClose={onClose} onChanged={onChanged} />
  return <KeywordForm keyword={keyword} onClose={onClose} onChanged={onChanged} />
}
