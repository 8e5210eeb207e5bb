import { measureText } from '@sdd/sms/segments.ts'
import { User } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useBulk, type BulkOutcome, type Refused } from '#console/core/bulk.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { send } from './text.ts'
import { DeviceField } from './device-field.tsx'
import { isTooLong, MessageField } from './message-field.tsx'
import { outcomeText } from './messages.ts'
import { MOST_NUMBERS, readNumbers, type TypedNumbers, withoutNumber } from './numbers.ts'
import { sendSeveral as words } from './several-text.ts'
import { fieldsLeft, fillFields } from './template-fields.ts'
import { TemplateButton, withTemplate } from './template-button.tsx'
import type { Templates } from './templates.ts'
import type { Sending } from './use-sending.ts'
import { Button } from '#console/ui/button.tsx'
import { Field } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { GoneReason } from '#console/ui/gone-reason.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { BulkSummary } from '#console/ui/selection-bar.tsx'
import { toast } from '#console/ui/toast.tsx'
import { useLeft } from '#console/ui/use-left.ts'

type Props = { sending: Sending; choices: readonly Device[] | undefined; templates: Templates }

/** The send form for several numbers. It sends to one after the other, and keeps those that were not sent. */
export default function SeveralForm({ sending, choices, templates }: Props) {
  const { draft, change, pending, sendOne, onSent } = sending
  const { device, several = '', message, fields } = draft
  const element = useRef<HTMLFormElement>(null)
  const [refused, setRefused] = useState(false)
  const [outcome, setOutcome] = useState<BulkOutcome>()
  const gone = useServerGone()
  const { progress, run, stop } = useBulk()
  const left = useLeft()
  const leave = useEffectEvent(stop)
  useEffect(() => () => leave(), [])
  const typed = readNumbers(several)
  const chosen = choices?.find(({ uid }) => uid === device)
  const open = fieldsLeft(message, fields)
  const { segments } = measureText(message)

  async function submit(): Promise<void> {
    if (pending || !chosen || typed.numbers.length === 0 || message.trim() === '') return
    const faulty = faultOf(typed) !== undefined
    if (faulty || isTooLong(message)) {
      setRefused(true)
      element.current?.querySelectorAll('textarea')[faulty ? 0 : 1]?.focus()
      return
    }
    const done = await run({
      items: typed.numbers,
      nameOf: (number) => number,
      atOnce: 1,
      failed: words.failed,
      async call([number]) {
        const why = await sendTo(number!, chosen)
        // At once, so that a repeated send does not reach it again, whatever ends this one.
        if (why === undefined) change(({ several: now = '' }) => ({ several: withoutNumber(now, number!) }))
        return why === undefined ? [] : [why]
      },
    })
    change((now) =>
      // A text typed meanwhile stays.
      now.several === '' && now.message === message ? { message: '', fields: undefined } : {},
    )
    setOutcome(done)
    // The user has left the form, which would say it.
    if (left.current && done) toast({ text: summaryOf(done) })
  }

  /** Sends to one of the numbers. Rejects with the server's refusal; resolves to another reason, if there is one. */
  async function sendTo(number: string, { uid, company_id }: Device): Promise<Refused | undefined> {
    let mensaje_sms = message
    if (open.length > 0) {
      mensaje_sms = fillFields(message, open, await templates.valuesOf(number, company_id))
      const [field] = fieldsLeft(mensaje_sms, open)
      if (field !== undefined) return { name: number, said: words.missing(field) }
    }
    const answer = await sendOne({ device_uid: uid, telefono_to: number, mensaje_sms })
    if ('why' in answer) throw answer.why
    if (!answer.sent) return { name: number, said: outcomeText(answer) }
    if (answer.guid !== undefined) onSent?.(answer.guid)
    return undefined
  }

  return (
    <Form
      form={{ element, pending: progress !== undefined, saved: false, fields: {} }}
      onSubmit={() => void submit()}
    >
      <DeviceField devices={choices} chosen={device} onChoose={(uid) => change({ device: uid })} />
      <NumbersField
        value={several}
        typed={typed}
        refused={refused}
        onChange={(value) => {
          setRefused(false)
          change({ several: value })
        }}
      />
      <MessageField
        value={message}
        note={noteOf(typed.numbers.length * segments, segments, open)}
        onChange={(value) => change({ message: value })}
      />
      <div className="flex flex-wrap items-center justify-end gap-2 pt-1">
        <GoneReason />
        {progress ? (
          <>
            <output className="mr-auto tabular-nums">
              {words.progress(formatCount(progress.done), formatCount(progress.total))}
            </output>
            <Button size="lg" onClick={stop}>
              {words.stop}
            </Button>
          </>
        ) : (
          <span className="mr-auto -ml-3 flex flex-wrap">
            <TemplateButton
              Chooser={templates.Chooser}
              company={chosen?.company_id}
              onChoose={(template) => change((now) => withTemplate(now, template))}
              onClosed={() => element.current?.querySelectorAll('textarea')[1]?.focus()}
            />
            <Button tone="ghost" onClick={() => change({ several: undefined, to: typed.numbers[0] ?? '' })}>
              <User className="size-4" aria-hidden="true" />
              {words.one}
            </Button>
          </span>
        )}
        {/* Not `disabled`: a disabled button loses the focus, which returns here after the result. */}
        <Button
          type="submit"
          tone="primary"
          size="lg"
          aria-disabled={pending || progress !== undefined || gone}
          title={gone ? text.serverGone : undefined}
        >
          {words.submit(typed.numbers.length)}
        </Button>
      </div>
      {outcome && (
        <BulkSummary
          title={titleOf(outcome)}
          outcome={outcome}
          said={saidOf(outcome)}
          onClose={() => setOutcome(undefined)}
        />
      )}
    </Form>
  )
}

function titleOf({ changed, refused, left }: BulkOutcome): string {
  if (changed === 0) return send.failure
  return refused.length + left > 0 ? words.partly : send.success
}

function saidOf({ changed, refused, left }: BulkOutcome): string {
  const said = words.outcome(changed, refused.length)
  return refused.length + left > 0 ? `${said} ${words.kept}` : said
}

function summaryOf(outcome: BulkOutcome): string {
  const { changed, refused, left } = outcome
  const total = changed + refused.length + left
  const said = `${titleOf(outcome)}: ${words.accepted(formatCount(changed), formatCount(total))}`
  return changed < total ? `${said} ${words.kept}` : said
}

function NumbersField({
  value,
  typed,
  refused,
  onChange,
}: {
  value: string
  typed: TypedNumbers
  /** The form was sent with these numbers and refused them. */
  refused: boolean
  onChange: (value: string) => void
}) {
  const [typing, setTyping] = useState(false)
  const fault = faultOf(typed)
  const said = [
    words.counted(typed.numbers.length),
    typed.repeated > 0 && words.repeated(typed.repeated),
  ].filter(Boolean)
  return (
    <Field
      label={words.numbers}
      hint={
        <>
          {value.trim() === '' ? words.numbersHint : said.join(' · ')}
          {fault && <span className="block">{fault}</span>}
        </>
      }
      // A number may be typed just now.
      error={fault && (!typing || refused) ? `${said.join(' · ')} · ${fault}` : undefined}
    >
      {(ids) => (
        <textarea
          {...ids}
          rows={5}
          autoComplete="off"
          spellCheck={false}
          inputMode="tel"
          value={value}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the field that had the focus
          autoFocus
          onFocus={() => setTyping(true)}
          onBlur={() => setTyping(false)}
          onChange={({ target }) => onChange(target.value)}
          className="mono resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 text-lg focus-visible:outline-offset-1 aria-invalid:border-bad-solid"
        />
      )}
    </Field>
  )
}

/** The most wrong numbers that are named. */
const MOST_NAMED = 5

function faultOf({ numbers, wrong }: TypedNumbers): string | undefined {
  if (numbers.length > MOST_NUMBERS) return words.tooMany(MOST_NUMBERS)
  if (wrong.length === 0) return undefined
  const more = wrong.length > MOST_NAMED ? ['…'] : []
  return words.wrong([...wrong.slice(0, MOST_NAMED), ...more].join(', '))
}

function noteOf(total: number, segments: number, fields: readonly string[]): string | undefined {
  if (total === 0) return undefined
  const parts = words.parts(segments, formatCount(total))
  if (fields.length === 0) return parts
  return `${parts}, ${words.withoutFields}. ${words.filled(fields.map((field) => `{{${field}}}`).join(', '))}`
}
