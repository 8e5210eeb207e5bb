import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { renewCodes, secondFactorQuery } from './account.ts'
import { ProofForm } from './proof-form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { account as words } from './text.ts'
import { Modal } from '#console/ui/dialog.tsx'

export default function RenewDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const [codes, setCodes] = useState<string[]>()
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />
  return (
    <Modal title={words.renewTitle} onClose={onClose}>
      <ProofForm
        code
        action={words.renew}
        failed={words.renewFailed}
        onCancel={onClose}
        run={async (proof) => {
          setCodes(await renewCodes(proof))
          void queryClient.invalidateQueries(secondFactorQuery)
        }}
      >
        <p className="text-muted">{words.renewMeans}</p>
      </ProofForm>
    </Modal>
  )
}
