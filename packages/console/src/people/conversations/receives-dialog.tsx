import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { blockNumber } from '#console/messages/opt-outs/calls.ts'
import LiftDialog from '#console/messages/opt-outs/lift-dialog.tsx'
import type { ConversationRef } from './conversations.ts'
import { optOutQuery } from './opt-out.ts'
import { conversations as words } from './text.ts'
import { Confirm } from '#console/ui/confirm.tsx'

type Props = { of: ConversationRef; waiting: number; optedOut: boolean; onClose: () => void }

/** Asks before the person is opted out, or an opt-out ends. */
export default function ReceivesDialog({ of, waiting, optedOut, onClose }: Props) {
  const client = useQueryClient()
  // As it was when the dialog opened: the conversation changes before the dialog closes.
  const [lifts] = useState(optedOut)
  const changed = () => {
    void client.invalidateQueries({ queryKey: ['opt_outs'] })
    void client.invalidateQueries({ queryKey: ['conversations'] })
    onClose()
  }
  return lifts ? (
    <Lift of={of} onClose={onClose} onChanged={changed} />
  ) : (
    <Block of={of} waiting={waiting} onClose={onClose} onChanged={changed} />
  )
}

type Closing = { of: ConversationRef; onClose: () => void; onChanged: () => void }

function Lift({ of, onClose, onChanged }: Closing) {
  const { data } = useQuery(optOutQuery(of))
  if (data === undefined) return null
  return <LiftDialog optOut={data ?? undefined} onClose={onClose} onLifted={onChanged} />
}

function Block({ of: { number, company }, waiting, onClose, onChanged }: Closing & { waiting: number }) {
  const form = useForm({
    save: () => blockNumber(number, company === undefined ? undefined : Number(company)),
    failed: words.person.blockFailed,
    onSaved: onChanged,
  })
  return (
    <Confirm
      title={words.person.blockTitle(number)}
      action={words.person.block}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>{words.person.blockMeans}</p>
      {waiting > 0 && <p>{words.person.blockWaiting(waiting)}</p>}
    </Confirm>
  )
}
