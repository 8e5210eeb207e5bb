import { useForm } from '#console/core/form.ts'
import { conversations as words } from './text.ts'
import { Confirm } from '#console/ui/confirm.tsx'

/** Asks before a message that may have arrived is sent again. */
export default function RepeatDialog({
  repeat,
  onClose,
}: {
  repeat: () => Promise<void>
  onClose: () => void
}) {
  const form = useForm({ save: repeat, failed: words.repeatFailed })
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
