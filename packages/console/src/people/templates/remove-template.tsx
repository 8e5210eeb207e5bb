import type { Template } from '@sdd/contract/people/templates.ts'
import { useForm } from '#console/core/form.ts'
import { removeTemplate } from './templates.ts'
import { templates as words } from './text.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { toast } from '#console/ui/toast.tsx'

export function RemoveTemplate({
  template: { id, name },
  onClose,
  onChanged,
}: {
  template: Template
  onClose: () => void
  onChanged: () => void
}) {
  const form = useForm({
    save: () => removeTemplate(id),
    failed: words.removeFailed,
    onSaved() {
      toast({ text: words.removed(name) })
      onChanged()
    },
  })
  return (
    <Confirm
      title={words.removeTitle(name)}
      action={words.remove}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p className="text-muted">{words.removeMeans}</p>
    </Confirm>
  )
}
