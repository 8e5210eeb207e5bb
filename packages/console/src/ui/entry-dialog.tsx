import { useState, type ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

const REMOVES = 'remove-'

/** The dialog of a list that the address names: `new`, the id of an entry, or `remove-` before it. */
export function EntryDialog<Entry extends { id: number }>({
  open,
  rows,
  title,
  gone,
  onClose,
  children,
}: {
  open: string
  rows: readonly Entry[]
  title: string
  /** Shown if the entry has been removed. */
  gone: string
  onClose: () => void
  /** `entry` is undefined for a new one. */
  children: (entry: Entry | undefined, removes: boolean) => ReactNode
}) {
  const removes = open.startsWith(REMOVES)
  // A copy from when the dialog opened: a change by another user must not replace the typed texts.
  const [entry] = useState(() =>
    rows.find(({ id }) => String(id) === open.slice(removes ? REMOVES.length : 0)),
  )
  if (open === 'new' || entry) return children(entry, removes)
  return (
    <Modal title={title} onClose={onClose}>
      <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
        {gone}
      </Notice>
    </Modal>
  )
}
