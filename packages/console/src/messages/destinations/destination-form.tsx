import type { Destinations } from '@sdd/contract/messages/destinations.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { fieldsOf, whyOf } from '#console/core/api.ts'
import { destinations as words } from './text.ts'
import { settings } from '#console/accounts/settings/text.ts'
import { destinationsQuery, prefixesIn, prefixFault, save } from './calls.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'

const MOST_A_DAY = 100_000

/** What was typed and is not saved; what was not follows the record. */
type Draft = { allow?: string; deny?: string; cap?: string }
type Faults = { allow?: string | undefined; deny?: string | undefined; cap?: string | undefined }

export function DestinationForm({ record, company }: { record: Destinations; company: string | undefined }) {
  const queryClient = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState<Draft>({})
  const [faults, setFaults] = useState<Faults>({})
  const saving = useMutation({
    mutationFn: (change: Omit<Destinations, 'company_id'>) => save(change, company),
    onSuccess(saved) {
      queryClient.setQueryData(destinationsQuery(company).queryKey, saved)
      setDraft({})
    },
    onError(why) {
      const { allow, deny, max_per_recipient_dayly } = fieldsOf(why)
      refuse({ allow, deny, cap: max_per_recipient_dayly })
    },
  })
  const allow = draft.allow ?? record.allow.join('\n')
  const deny = draft.deny ?? record.deny.join('\n')
  const cap = draft.cap ?? String(record.max_per_recipient_dayly ?? '')
  const { isPending: busy, isSuccess, error } = saving
  const restricts = record.allow.length + record.deny.length > 0 || record.max_per_recipient_dayly !== null

  function edit(next: Draft): void {
    setDraft((now) => ({ ...now, ...next }))
    setFaults({})
    saving.reset()
  }

  function refuse(found: Faults): void {
    setFaults(found)
    focusInvalid(form)
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (busy) return
    const change = {
      allow: prefixesIn(allow),
      deny: prefixesIn(deny),
      max_per_recipient_dayly: cap.trim() === '' ? null : Number(cap),
    }
    const { max_per_recipient_dayly: most } = change
    const isCap = most === null || (Number.isInteger(most) && most >= 1 && most <= MOST_A_DAY)
    const found = {
      allow: prefixFault(change.allow),
      deny: prefixFault(change.deny),
      cap: isCap ? undefined : words.capRange,
    }
    if (found.allow ?? found.deny ?? found.cap) return refuse(found)
    setFaults({})
    saving.mutate(change)
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="panel flex flex-col gap-5 p-5 max-md:p-4">
      {!restricts && <p className="font-medium">{words.everything}</p>}
      <Prefixes
        label={words.allow}
        hint={words.allowHint}
        error={faults.allow}
        value={allow}
        onChange={(typed) => edit({ allow: typed })}
      />
      <Prefixes
        label={words.deny}
        hint={words.denyHint}
        error={faults.deny}
        value={deny}
        onChange={(typed) => edit({ deny: typed })}
      />
      <Field label={words.cap} hint={words.capHint} error={faults.cap}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            className="max-w-48"
            type="number"
            inputMode="numeric"
            min={1}
            max={MOST_A_DAY}
            step={1}
            value={cap}
            onChange={(event) => edit({ cap: event.target.value })}
          />
        )}
      </Field>
      {isSuccess && <Notice tone="ok">{words.saved}</Notice>}
      {error && <Notice tone="bad">{whyOf(error, words.saveFailed)}</Notice>}
      <div className="flex">
        <Button type="submit" tone="primary" size="lg" disabled={busy} aria-busy={busy} className="min-w-28">
          {busy ? settings.saving : words.save}
        </Button>
      </div>
    </form>
  )
}

function Prefixes({
  label,
  hint,
  error,
  value,
  onChange,
}: {
  label: string
  hint: string
  error: string | undefined
  value: string
  onChange: (typed: string) => void
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          rows={4}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className="resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 font-mono text-lg focus-visible:outline-offset-1 aria-invalid:border-bad-solid"
        />
      )}
    </Field>
  )
}
