import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { newGuid } from '#console/core/guid.ts'
import { answer, type ConversationRef } from './conversations.ts'
import { conversations as words } from './text.ts'
import { Confirm } from '#console/ui/confirm.tsx'

/** Asks before a message that may have arrived is sent again. */
export default function RepeatDialog({
  of,
  guid: again,
  onClose,
}: {
  of: ConversationRef
  guid: string
  onClose: () => void
}) {
  const client = useQueryClient()
  const [guid] = useState(newGuid)
  const form = useForm({
    save: () => answer(of, { again, sure: true, guid }),
    failed: words.repeatFailed,
    onSaved() {
      void client.invalidateQueries({ queryKey: ['conversations'] })
      onClose()
    },
  })
  return (
    <Confirm
      title={words.repeatTitle}
      action={words.repeat}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>{words.repeatMeans}</p>
    </Confirm>
  )
}
