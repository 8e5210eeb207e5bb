import { text } from '#console/core/text.ts'
import { optOuts as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'

/** Asks before several opt-outs are removed. `asked` is the number of those that were requested by SMS. */
export function ConfirmLift({
  count,
  asked,
  onConfirm,
  onClose,
}: {
  count: number
  asked: number
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <Modal title={words.liftSeveralTitle(count)} onClose={onClose}>
      <div className="flex flex-col gap-3">
        {asked > 0 && <p>{words.liftSeveralAsked(asked)}</p>}
        <p className="text-muted">{words.liftMeans}</p>
        <div className="flex flex-wrap justify-end gap-2 pt-1">
          <Button size="lg" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button needsServer size="lg" tone="primary" onClick={onConfirm}>
            {words.lift}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
