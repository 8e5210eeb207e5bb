import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { reloadIfLoading } from '#console/core/query.ts'
import { devicePage as words } from './device-text.ts'
import { editDevice, makeSecret, unlink } from './calls.ts'
import { devicesQuery, type Device } from './devices.ts'
import { EditDialog } from './edit-dialog.tsx'
import type { OrderDialogName } from './search.ts'
import { LimitDialog } from './limit-dialog.tsx'
import { MaintenanceDialog } from './maintenance-dialog.tsx'
import type { DevicePageSearch } from './search.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { ShownOnce } from '#console/ui/shown-once.tsx'
import { toast } from '#console/ui/toast.tsx'

type Props = { device: Device; onClose: () => void }

/** The dialogs of a device's page. */
export default function DeviceDialogs({
  dialog,
  onUnlinked,
  ...props
}: Props & {
  dialog: Exclude<DevicePageSearch['dialog'], undefined | 'send' | OrderDialogName>
  onUnlinked: () => void
}) {
  const client = useQueryClient()
  const { device, onClose } = props
  switch (dialog) {
    case 'edit':
      return <EditDialog {...props} />
    case 'limit':
      return (
        <LimitDialog
          title={words.limitTitle(device.uid)}
          limit={device.max_sms_dayly}
          onClose={onClose}
          onLimit={async (max_sms_dayly) => {
            await editDevice(client, device.uid, { max_sms_dayly })
            toast({ text: words.saved })
            onClose()
          }}
        />
      )
    case 'maintenance':
      return (
        <MaintenanceDialog
          title={words.maintenanceTitle(device.uid)}
          onClose={onClose}
          onUntil={async (maintenance_until) => {
            await editDevice(client, device.uid, { maintenance_until })
            onClose()
          }}
        />
      )
    case 'secret':
      return <SecretDialog {...props} />
    case 'unlink':
      return <UnlinkDialog {...props} onUnlinked={onUnlinked} />
  }
}

function SecretDialog({ device: { uid }, onClose }: Props) {
  const [secret, setSecret] = useState<string>()
  const form = useForm({ save: () => makeSecret(uid), failed: words.secretFailed, onSaved: setSecret })
  if (secret === undefined) {
    return (
      <Confirm
        title={words.secretTitle(uid)}
        action={words.secretMake}
        form={form}
        onConfirm={() => form.send()}
        onClose={onClose}
      >
        <p>{words.secretMeans}</p>
      </Confirm>
    )
  }
  return (
    <ShownOnce title={words.secretTitle(uid)} onClose={onClose}>
      {(copied) => (
        <CopyRow
          label={words.secretLabel}
          value={secret}
          copyLabel={words.secretCopy}
          hint={words.secretHint}
          onCopied={copied}
        />
      )}
    </ShownOnce>
  )
}

/** Asks for the uid, since the messages that wait for the device fail. */
function UnlinkDialog({
  device: { uid, queued = 0 },
  onClose,
  onUnlinked,
}: Props & { onUnlinked: () => void }) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const form = useForm({
    save: () => unlink(uid),
    failed: words.unlinkFailed,
    onSaved() {
      client.setQueryData(devicesQuery.queryKey, (devices) => devices?.filter((one) => one.uid !== uid))
      reloadIfLoading(client, devicesQuery.queryKey)
      toast({ text: words.unlinked(uid) })
      onUnlinked()
    },
  })

  function submit(): void {
    if (!form.refuses({ uid: typed.trim() === uid ? undefined : words.unlinkMismatch })) form.send()
  }

  return (
    <FormModal
      title={words.unlinkTitle(uid)}
      form={form}
      action={words.unlinkNow}
      intro={
        <>
          <p className="font-semibold">{words.unlinkMeans(queued)}</p>
          <p className="text-muted">{words.unlinkKeeps}</p>
        </>
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={words.unlinkType(uid)} error={form.fields.uid}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
    </FormModal>
  )
}
