import { useQueryClient } from '@tanstack/react-query'
import { secondFactorQuery, turnOffSecondFactor } from './account.ts'
import { ProofForm } from './proof-form.tsx'
import { account as words } from './text.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { toast } from '#console/ui/toast.tsx'

export default function OffDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  return (
    <Modal title={words.offTitle} onClose={onClose}>
      <ProofForm
        code
        action={words.turnOff}
        failed={words.offFailed}
        onCancel={onClose}
        run={async (proof) => {
          await turnOffSecondFactor(proof)
          void queryClient.invalidateQueries(secondFactorQuery)
          toast({ text: words.turnedOff })
          onClose()
        }}
      >
        <p className="text-muted">{words.offAsk}</p>
      </ProofForm>
    </Modal>
  )
}
