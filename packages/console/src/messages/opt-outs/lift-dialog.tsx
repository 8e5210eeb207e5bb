import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { useState } from 'react'
import { whyOf } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { optOuts as words } from './text.ts'
import { lift } from './calls.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

/** Asks before a number may be written to again. */
export default function LiftDialog({
  optOut: given,
  onClose,
  onLifted,
}: {
  /** Undefined: the list has none such. */
  optOut: OptOut | undefined
  onClose: () => void
  onLifted: () => void
}) {
  // As it was when it was asked about: lifted, it leaves the list while it is still shown.
  const [optOut] = useState(given)
  if (!optOut) {
    return (
      <Modal title={words.title} onClose={onClose}>
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.gone}
        </Notice>
      </Modal>
    )
  }

  async function run({ id, number }: OptOut): Promise<string | undefined> {
    try {
      await lift(id)
    } catch (fault) {
      return whyOf(fault, words.liftFailed)
    }
    toast({ text: words.lifted(number) })
    onLifted()
    return undefined
  }

  return (
    <Confirm
      title={words.liftTitle(optOut.number)}
      action={words.lift}
      run={() => run(optOut)}
      onClose={onClose}
    >
      {optOut.text !== null && <p>{words.liftAsked(optOut.text)}</p>}
      <p className="text-muted">{words.liftMeans}</p>
    </Confirm>
  )
}
