import { useRef, useState } from 'react'
import { useLanguage } from '#console/core/language.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { send as words } from './text.ts'
import { DeviceField } from './device-field.tsx'
import { isTooLong, MessageField } from './message-field.tsx'
import { NumberField } from './number-field.tsx'
import { numberFault } from './number-fault.ts'
import { SendResult } from './send-result.tsx'
import type { Sending } from './use-sending.ts'
import { Button } from '#console/ui/button.tsx'
import { Form } from '#console/ui/form.tsx'
import { GoneReason } from '#console/ui/gone-reason.tsx'

type Props = {
  sending: Sending
  /** The connected devices, if the user may choose; undefined until loaded. */
  choices?: readonly Device[]
  onCancel?: () => void
  /** Called after the result dialog closes. */
  onDone?: () => void
}

/** The send form, for its own screen and for the devices' modal. */
export function SendForm({ sending, choices, onCancel, onDone }: Props) {
  const { uid, draft, change, pending, outcome, sms } = sending
  const { device, to, message } = draft
  const element = useRef<HTMLFormElement>(null)
  const [refused, setRefused] = useState(false)
  const gone = useServerGone()
  const strict = useLanguage() !== undefined
  const through = uid ?? (choices?.some((choice) => choice.uid === device) ? device : '')

  function submit(): void {
    const telefono_to = to.trim()
    if (through === '' || telefono_to === '' || message.trim() === '') return
    // The specification has no check of its own: in its wording, the server refuses.
    if (strict && (numberFault(to) || isTooLong(message))) {
      setRefused(true)
      element.current?.querySelector<HTMLElement>(numberFault(to) ? '[type=tel]' : 'textarea')?.focus()
      return
    }
    sending.send({ device_uid: through, telefono_to, mensaje_sms: message })
  }

  function close(): void {
    sending.close()
    onDone?.()
  }

  return (
    <Form form={{ element, pending, saved: false, fields: {} }} onSubmit={submit}>
      {uid === undefined && (
        <DeviceField devices={choices} chosen={device} onChoose={(chosen) => change({ device: chosen })} />
      )}
      <NumberField
        value={to}
        refused={refused}
        onChange={(typed) => {
          setRefused(false)
          change({ to: typed })
        }}
      />
      <MessageField value={message} onChange={(typed) => change({ message: typed })} />
      <div className="flex flex-wrap justify-end gap-2 pt-1">
        <GoneReason />
        {onCancel && (
          <Button size="lg" onClick={onCancel} disabled={pending}>
            {text.cancel}
          </Button>
        )}
        {/* Not `disabled`: a disabled button loses the focus, which returns here after the result. */}
        <Button
          type="submit"
          tone="primary"
          size="lg"
          aria-disabled={pending || gone}
          title={gone ? text.serverGone : undefined}
          className="min-w-28"
        >
          {words.submit}
        </Button>
      </div>
      <output className="sr-only">{pending ? words.sending : ''}</output>
      {outcome && <SendResult outcome={outcome} sms={sms} onClose={close} />}
    </Form>
  )
}
