import type { Keyword } from '@sdd/contract/messages/keywords.ts'
import { KeywordForm } from './keyword-form.tsx'
import { RemoveKeyword } from './remove-keyword.tsx'
import { keywords as words } from './text.ts'
import { EntryDialog } from '#console/ui/entry-dialog.tsx'

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
  return (
    <EntryDialog open={open} rows={rows} title={words.title} gone={words.gone} onClose={onClose}>
      {(keyword, removes) =>
        keyword && removes ? (
          <RemoveKeyword keyword={keyword} onClose={onClose} onChanged={onChanged} />
        ) : (
          <KeywordForm keyword={keyword} onClose={onClose} onChanged={onChanged} />
        )
      }
    </EntryDialog>
  )
}
