import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { deviceBulk as words } from './bulk-text.ts'
import { devicesQuery, type Device, tagsOf } from './devices.ts'
import { readTags, TagsField } from './tags-field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'

type TagChange = { add_tags?: string[]; remove_tags?: string[] }

/** Adds tags to several devices, and removes tags from them. Their other tags stay. */
export function TagsDialog({
  title,
  devices,
  onTags,
  onClose,
}: {
  title: string
  devices: readonly Pick<Device, 'tags'>[]
  onTags: (change: TagChange) => void
  onClose: () => void
}) {
  const [add, setAdd] = useState('')
  const [remove, setRemove] = useState('')
  const { data: fleet = [] } = useQuery(devicesQuery)
  const form = useForm({ save: async (change: TagChange) => onTags(change), failed: words.failed })

  function submit(): void {
    const added = readTags(add)
    const removed = readTags(remove)
    const both = added.tags.find((tag) => removed.tags.includes(tag))
    const nothing = added.tags.length + removed.tags.length === 0 ? words.noTags : undefined
    const faults = {
      add_tags: added.fault ?? nothing,
      remove_tags: removed.fault ?? (both === undefined ? undefined : words.inBoth(both)),
    }
    if (form.refuses(faults)) return
    form.send({
      ...(added.tags.length > 0 && { add_tags: added.tags }),
      ...(removed.tags.length > 0 && { remove_tags: removed.tags }),
    })
  }

  return (
    <FormModal title={title} form={form} action={words.apply} onSubmit={submit} onClose={onClose}>
      <TagsField
        label={words.addTags}
        typed={add}
        offered={tagsOf(fleet).map(([tag]) => tag)}
        error={form.fields.add_tags}
        onType={setAdd}
      />
      <TagsField
        label={words.removeTags}
        typed={remove}
        offered={tagsOf(devices).map(([tag]) => tag)}
        error={form.fields.remove_tags}
        onType={setRemove}
      />
    </FormModal>
  )
}
