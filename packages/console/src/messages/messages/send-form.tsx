import { Suspense, useRef, useState } from 'react'
import { useLanguage } from '#console/core/language.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useServerGone } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { send as words } from './text.ts'
import { DeviceField } from './device-field.tsx'
import { isTooLong, MessageField } from './message-field.tsx'
import { NumberField } from './number-field.tsx'
import { numberFault } from './number-fault.ts'
import { SendResult } from './send-result.tsx'
import { fieldsLeft, fillFields } from './template-fields.ts'
import type { Templates } from './templates.ts'
import type { Sending } from './use-sending.ts'
import { Button } from '#console/ui/button.tsx'
import { Form } from '#console/ui/form.tsx'
import { GoneReason } from '#console/ui/gone-reason.tsx'

const SendTools = lazyPart(() => import('./send-tools.tsx'))

type Props = {
  sending: Sending
  /** The connected devices, if the user may choose; undefined until loaded. */
  choices?: readonly Device[]
  /** With them, a template can be inserted, and the form can become that for several numbers. */
  templates?: Templates
  onCancel?: () => void
  /** Called after the result dialog closes. */
  onDone?: () => void
}

/** The send form, for its own screen and for the devices' modal. */
export function SendForm({ sending, choices, templates, onCancel, onDone }: Props) {
  const { uid, draft, change, pending, outcome, sms } = sending
  const { device, to, message, fields } = draft
  const element = useRef<HTMLFormElement>(null)
  const [refused, setRefused] = useState(false)
  const gone = useServerGone()
  const strict = useLanguage() !== undefined
  const chosen = choices?.find((choice) => choice.uid === device)
  const through = uid ?? chosen?.uid ?? ''
  const unfilled = fieldsLeft(message, fields)

  function submit(): void {
    const telefono_to = to.trim()
    if (through === '' || telefono_to === '' || message.trim() === '') return
    // The specification has no check of its own: in its wording, the server refuses. It has no templates either.
    const wrongNumber = strict && numberFault(to)
    if (wrongNumber || unfilled.length > 0 || (strict && isTooLong(message))) {
      setRefused(true)
      focus(wrongNumber ? '[type=tel]' : 'textarea')
      return
    }
    sending.send({ device_uid: through, telefono_to, mensaje_sms: message })
  }

  function focus(field: string): void {
    element.current?.querySelector<HTMLElement>(field)?.focus()
  }

  /** Fills the fields that the number's contact has. */
  async function fill(fields: readonly string[]): Promise<void> {
    if (!templates || fields.length === 0 || to.trim() === '' || numberFault(to)) return
    const valueOf = await templates.valuesOf(to, chosen?.company_id).catch(() => undefined)
    // Not if another number was typed meanwhile.
    if (valueOf) change((now) => (now.to === to ? { message: fillFields(now.message, fields, valueOf) } : {}))
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
        onLeave={() => void fill(unfilled)}
        onSeveral={templates && ((pasted) => change({ several: [to, pasted].filter(Boolean).join('\n') }))}
      />
      <MessageField
        value={message}
        unfilled={unfilled.length > 0 ? words.unfilled(unfilled.join(', ')) : undefined}
        onChange={(typed) => change({ message: typed })}
      />
      <div className="flex flex-wrap items-center justify-end gap-2 pt-1">
        <GoneReason />
        {templates && (
          <Suspense fallback={<span className="mr-auto h-[34px] w-[235px] max-md:h-11" />}>
            <SendTools
              sending={sending}
              templates={templates}
              company={chosen?.company_id}
              onInserted={(inserted) => void fill(inserted)}
              onClosed={() => focus('textarea')}
            />
          </Suspense>
        )}
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
