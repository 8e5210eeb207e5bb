import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { text } from '#console/core/text.ts'
import { send as words } from './text.ts'
import { outcomeText, sendMessage, type SendOutcome, type UnsentMessage } from './messages.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

type Sending = ReturnType<typeof useSending>

/** The state of a send form, owned by the form's parent. `uid`: the only device to send through. */
export function useSending({ uid, draft }: { uid?: string; draft?: UnsentMessage }) {
  const [chosen, setChosen] = useState('')
  const [to, setTo] = useState(draft?.to ?? '')
  const [message, setMessage] = useState(draft?.message ?? '')
  const { mutate, reset, isPending, data } = useMutation({
    mutationFn: sendMessage,
    onSuccess({ sent }) {
      if (!sent) return
      setTo('')
      setMessage('')
    },
  })
  return {
    uid,
    chosen,
    setChosen,
    to,
    setTo,
    message,
    setMessage,
    pending: isPending,
    outcome: data,
    send: mutate,
    close: reset,
  }
}

type Props = {
  sending: Sending
  /** The uids of the connected devices, if the user may choose; undefined until loaded. */
  choices?: string[]
  onCancel?: () => void
  /** Called after the result dialog closes, with the text that a refusal left in the fields. */
  onDone?: (left: UnsentMessage) => void
}

/** The send form, for its own screen and for the devices' modal. */
export function SendForm({ sending, choices, onCancel, onDone }: Props) {
  const { uid, chosen, setChosen, to, setTo, message, setMessage, pending, outcome } = sending
  const element = useRef<HTMLFormElement>(null)
  const offered = choices?.includes(chosen) ?? false
  const through = uid ?? (offered ? chosen : '')

  function submit(): void {
    const telefono_to = to.trim()
    if (through === '' || telefono_to === '' || message.trim() === '') return
    sending.send({ device_uid: through, telefono_to, mensaje_sms: message })
  }

  function close(): void {
    sending.close()
    onDone?.({ to, message })
  }

  return (
    <Form form={{ element, pending, saved: false, fields: {} }} onSubmit={submit}>
      {uid === undefined && (
        <Field label={words.device} hint={choiceHint(choices, chosen, offered)}>
          {(ids) => (
            <Select
              {...ids}
              tall
              value={offered ? chosen : ''}
              onChange={(event) => setChosen(event.target.value)}
            >
              <option value="">{words.choose}</option>
              {choices?.map((choice) => (
                <option key={choice} value={choice}>
                  {choice}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label={words.phone}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            type="tel"
            autoComplete="off"
            placeholder={words.phonePlaceholder}
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        )}
      </Field>
      <Field label={words.message} hint={<Measure message={message} />}>
        {(ids) => (
          <textarea
            {...ids}
            rows={4}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
            className="resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 text-lg focus-visible:outline-offset-1"
          />
        )}
      </Field>
      <div className="flex justify-end gap-2 pt-1">
        {onCancel && (
          <Button size="lg" onClick={onCancel} disabled={pending}>
            {text.cancel}
          </Button>
        )}
        {/* Not `disabled`: a disabled button loses the focus, which returns here after the result. */}
        <Button type="submit" tone="primary" size="lg" aria-disabled={pending} className="min-w-28">
          {words.submit}
        </Button>
      </div>
      <output className="sr-only">{pending ? words.sending : ''}</output>
      {outcome && <Result outcome={outcome} onClose={close} />}
    </Form>
  )
}

/** Shows the length of the text: characters, alphabet and segments. */
function Measure({ message }: { message: string }) {
  const { encoding, segments, units, units_left } = measureText(message)
  const tooLong = segments > MAX_SEGMENTS
  return (
    <span className={`flex flex-wrap gap-x-2.5 ${tooLong ? 'text-bad' : ''}`}>
      <span>{words.characters(units, units + units_left)}</span>
      <span>{words.encodings[encoding]}</span>
      <span>{words.segments(segments)}</span>
      {tooLong && <b className="font-semibold">{words.tooLong(MAX_SEGMENTS)}</b>}
    </span>
  )
}

function Result({ outcome, onClose }: { outcome: SendOutcome; onClose: () => void }) {
  const { sent } = outcome
  return (
    <Modal title={sent ? words.success : words.failure} onClose={onClose}>
      <p
        className={`flex items-center gap-2.5 rounded-sm px-3 py-2.5 font-medium ${sent ? 'bg-ok-bg text-ok' : 'bg-bad-bg text-bad'}`}
      >
        <MarkIcon mark={sent ? 'check' : 'cross'} />
        <span className="min-w-0 break-words">{outcomeText(outcome)}</span>
      </p>
      <div className="mt-5 flex justify-end">
        <Button tone="primary" size="lg" onClick={onClose}>
          {text.close}
        </Button>
      </div>
    </Modal>
  )
}

function choiceHint(
  choices: readonly string[] | undefined,
  chosen: string,
  offered: boolean,
): string | undefined {
  if (!choices) return undefined
  if (chosen && !offered) return words.gone(chosen)
  return choices.length === 0 ? words.noneConnected : undefined
}
