import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changedFields, isEmpty, useForm } from '#console/core/form.ts'
import { devicePage as words } from './device-text.ts'
import { editDevice } from './calls.ts'
import { devicesQuery, type Device, tagsOf } from './devices.ts'
import { readTags, TagsField } from './tags-field.tsx'
import { boxLook, Field, inputLook, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { toast } from '#console/ui/toast.tsx'

/** The name, place, tags and note of a device. */
export function EditDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const client = useQueryClient()
  const [opened] = useState(() => ({
    name: device.name ?? '',
    location: device.location ?? '',
    note: device.note ?? '',
    tags: device.tags ?? [],
  }))
  const [name, setName] = useState(opened.name)
  const [location, setLocation] = useState(opened.location)
  const [note, setNote] = useState(opened.note)
  const [tags, setTags] = useState(opened.tags.join(' '))
  const { data: fleet = [] } = useQuery(devicesQuery)
  const form = useForm({
    async save() {
      const change = changedFields(opened, { name, location, note, tags: readTags(tags).tags })
      if (!isEmpty(change)) await editDevice(client, device.uid, change)
    },
    failed: words.saveFailed,
    onSaved() {
      toast({ text: words.saved })
      onClose()
    },
  })

  return (
    <FormModal
      title={words.editTitle(device.uid)}
      form={form}
      action={words.save}
      onSubmit={() => {
        if (!form.refuses({ tags: readTags(tags).fault })) form.send()
      }}
      onClose={onClose}
    >
      <Field label={words.name} hint={words.nameHint} error={form.fields.name}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={words.location} error={form.fields.location}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            maxLength={200}
            value={location}
            onChange={(event) => setLocation(event.target.value)}
          />
        )}
      </Field>
      <TagsField
        label={words.tags}
        typed={tags}
        offered={tagsOf(fleet).map(([tag]) => tag)}
        error={form.fields.tags}
        onType={setTags}
      />
      <Field label={words.note} error={form.fields.note}>
        {(ids) => (
          <span className={`${boxLook} px-2.5 py-2`}>
            <textarea
              {...ids}
              rows={4}
              maxLength={2000}
              className={`resize-y ${inputLook}`}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          </span>
        )}
      </Field>
    </FormModal>
  )
}
