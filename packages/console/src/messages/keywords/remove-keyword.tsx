import type { Keyword } from '@sdd/contract/messages/keywords.ts'
import { useForm } from '#console/core/form.ts'
import { removeKeyword } from './calls.ts'
import { keywords as words } from './text.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { toast } from '#console/ui/toast.tsx'

export function RemoveKeyword({
  keyword: { id, word },
  onClose,
  onChanged,
}: {
  keyword: Keyword
  onClose: () => void
  onChanged: () => void
}) {
  const form = useForm({
    save: () => removeKeyword(id),
    failed: words.removeFailed,
    onSaved() {
      toast({ text: words.removed(word) })
      onChanged()
    },
  })
  return (
    <Confirm
      title={words.removeTitle(word)}
      action={words.remove}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p className="text-muted">{words.removeMeans}</p>
    </Confirm>
  )
}
