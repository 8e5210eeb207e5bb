import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { secondFactorQuery } from './account.ts'
import { EnrolSteps } from './enrol-steps.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { account as words } from './text.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { toast } from '#console/ui/toast.tsx'

export default function EnrolDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const [codes, setCodes] = useState<string[]>()
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />
  return (
    <Modal title={words.enrolTitle} onClose={onClose}>
      <EnrolSteps
        onCancel={onClose}
        onDone={(made) => {
          void queryClient.invalidateQueries(secondFactorQuery)
          toast({ text: words.enrolled })
          setCodes(made)
        }}
      >
        <p className="text-muted">{words.enrolIntro}</p>
      </EnrolSteps>
    </Modal>
  )
}
