import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { faultText } from '#console/core/api.ts'
import { newGuid } from '#console/core/guid.ts'
import { useForm } from '#console/core/form.ts'
import { phoneNumberOf, type Device } from '#console/fleet/devices/devices.ts'
import DeviceChooser from '#console/messages/messages/device-chooser.tsx'
import { answer, discard, type ConversationRef } from './conversations.ts'
import type { SentMessage } from './message-actions.tsx'
import { conversations as words } from './text.ts'
import { Confirm } from '#console/ui/confirm.tsx'

type Props = {
  of: ConversationRef
  message: SentMessage
  devices: readonly Device[] | undefined
  onClose: () => void
}

/** The device has the message already, so it may still send it. */
const HELD = new Error('held by its device')

/** Sends a waiting message by another device. It shows which device and number that is before it does so. */
export default function RerouteDialog({ of, message, devices, onClose }: Props) {
  const [uid, setUid] = useState<string>()
  const choices = devices?.filter(
    (device) => device.status === 'connected' && device.uid !== message.device_uid,
  )
  const device = choices?.find((choice) => choice.uid === uid)
  if (!device) return <DeviceChooser devices={choices ?? []} onChoose={setUid} onClose={onClose} />
  return <ConfirmReroute of={of} message={message} device={device} onClose={onClose} />
}

function ConfirmReroute({
  of,
  message: { guid: waiting, text, device_uid },
  device,
  onClose,
}: Omit<Props, 'devices'> & { device: Device }) {
  const client = useQueryClient()
  const [guid] = useState(newGuid)
  const discarded = useRef(false)
  const form = useForm({
    async save() {
      // First, so that the text is never sent twice. If the rest fails, another press goes on from here.
      discarded.current ||= await discard(of, waiting)
      if (!discarded.current) throw HELD
      await answer(of, { text, device_uid: device.uid, guid })
    },
    failed: (fault) => ({
      said: fault === HELD ? words.held : faultText(fault, words.rerouteFailed),
      fields: {},
    }),
    onSaved() {
      void client.invalidateQueries({ queryKey: ['conversations'] })
      onClose()
    },
  })
  const number = phoneNumberOf(device)
  return (
    <Confirm
      title={words.reroute}
      action={words.send}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>
        {words.leavesBy} <b className="font-semibold">{device.uid}</b>
        {number && ` · ${number}`}
      </p>
      {device_uid !== null && <p className="text-muted">{words.rerouteMeans(device_uid)}</p>}
    </Confirm>
  )
}
