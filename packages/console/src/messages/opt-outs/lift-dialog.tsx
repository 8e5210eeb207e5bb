import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { optOuts as words } from './text.ts'
import { liftBlock } from './calls.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

export default function LiftDialog({
  optOut: given,
  onClose,
  onLifted,
}: {
  /** Undefined if the list has no such block. */
  optOut: OptOut | undefined
  onClose: () => void
  onLifted: () => void
}) {
  // A copy from when the dialog opened: a lifted block leaves the list while the dialog still shows it.
  const [optOut] = useState(given)
  if (optOut) return <Lift optOut={optOut} onClose={onClose} onLifted={onLifted} />
  return (
    <Modal title={words.title} onClose={onClose}>
      <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
        {words.gone}
      </Notice>
    </Modal>
  )
}

function Lift({
  optOut: { id, number, text: wrote },
  onClose,
  onLifted,
}: {
  optOut: OptOut
  onClose: () => void
  onLifted: () => void
}) {
  const form = useForm({
    save: () => liftBlock(id),
    failed: words.liftFailed,
    onSaved() {
      toast({ text: words.lifted(number) })
      onLifted()
    },
  })
  return (
    <Confirm
      title={words.liftTitle(number)}
      action={words.lift}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      {wrote !== null && <p>{words.liftAsked(wrote)}</p>}
      <p className="text-muted">{words.liftMeans}</p>
    </Confirm>
  )
}
