import { useQueryClient } from '@tanstack/react-query'
import { useId, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { fieldsOf } from '#console/core/api.ts'
import { settings as words } from '#console/core/text/settings.ts'
import {
  globalSettingsQuery,
  saveFault,
  saveGlobal,
  wholeNumber,
  type GlobalSettings,
} from '#console/settings/settings.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'

const LONGEST_SECS = 86_400

/** What was changed here and is not saved; what was not follows the record. */
type Draft = { spoof?: string; send?: boolean }
/** `spoof`: what is wrong with the spoof time. */
type Outcome = { saved: boolean; said?: string; spoof?: string }

type Props = {
  record: GlobalSettings
  /** Named to the server where it is not one's own. */
  company: number | undefined
  writes: boolean
}

export function GlobalForm({ record, company, writes }: Props) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<Draft>({})
  const [outcome, setOutcome] = useState<Outcome>()
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const spoof = draft.spoof ?? String(record.spoof_time_secs)
  const sends = draft.send ?? record.send_enabled

  function edit(next: Draft): void {
    setDraft((now) => ({ ...now, ...next }))
    setOutcome(undefined)
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (busy) return
    const secs = wholeNumber(spoof, 0, LONGEST_SECS)
    if (secs === undefined) return refuse({ spoof: words.spoofTimeRange })
    setBusy(true)
    setOutcome(undefined)
    const change = { id: record.id, spoof_time_secs: secs, send_enabled: sends }
    try {
      const saved = { ...record, ...change, ...(await saveGlobal(change, company)) }
      await queryClient.cancelQueries(globalSettingsQuery)
      queryClient.setQueryData(globalSettingsQuery.queryKey, (records) =>
        records?.map((one) => (one.id === record.id ? saved : one)),
      )
      setDraft({})
      setOutcome({ said: words.saved, saved: true })
    } catch (fault) {
      refuse({ said: saveFault(fault), spoof: fieldsOf(fault).spoof_time_secs })
    }
    setBusy(false)
  }

  function refuse(why: Omit<Outcome, 'saved'>): void {
    setOutcome({ saved: false, ...why })
    focusInvalid(form)
  }

  return (
    <>
      {!record.send_enabled && (
        <Notice tone="warn">
          <b className="block font-semibold">{words.off}</b>
          <span className="block">{words.offMeans}</span>
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="panel flex flex-col gap-5 p-5 max-md:p-4">
        <Field label={words.spoofTime} hint={words.spoofTimeHint} error={outcome?.spoof}>
          {(ids) => (
            <TextInput
              {...ids}
              tall
              className="max-w-48"
              type="number"
              inputMode="numeric"
              min={0}
              max={LONGEST_SECS}
              step={1}
              readOnly={!writes}
              value={spoof}
              onChange={(event) => edit({ spoof: event.target.value })}
            />
          )}
        </Field>
        <SendSwitch
          on={sends}
          disabled={!writes}
          hint={sends === record.send_enabled ? undefined : sends ? words.willResume : words.willStop}
          onChange={(send) => edit({ send })}
        />
        {outcome?.said && <Notice tone={outcome.saved ? 'ok' : 'bad'}>{outcome.said}</Notice>}
        <div className="flex">
          <Button
            type="submit"
            tone="primary"
            size="lg"
            disabled={!writes || busy}
            aria-busy={busy}
            className="min-w-28"
          >
            {busy ? words.saving : words.save}
          </Button>
        </div>
      </form>
    </>
  )
}

function SendSwitch({
  on,
  disabled,
  hint,
  onChange,
}: {
  on: boolean
  disabled: boolean
  hint: ReactNode
  onChange: (on: boolean) => void
}) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="w-fit font-semibold">
        {words.sendEnabled}
      </label>
      <span className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
        <input
          id={id}
          type="checkbox"
          className="size-[22px]"
          checked={on}
          disabled={disabled}
          aria-describedby={`${id}-hint`}
          onChange={() => onChange(!on)}
        />
        <span aria-hidden="true" className="font-medium">
          {on ? words.yes : words.no}
        </span>
      </span>
      <output id={`${id}-hint`} className="text-sm text-warn">
        {hint}
      </output>
    </div>
  )
}
