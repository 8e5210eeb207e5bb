import type { Destinations } from '@sdd/contract/messages/destinations.ts'
import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { withoutSent } from '#console/core/drafts.ts'
import { useForm } from '#console/core/form.ts'
import { reloadIfLoading } from '#console/core/query.ts'
import { destinations as words } from './text.ts'
import { settings } from '#console/accounts/settings/text.ts'
import { UnsavedNote, useUnsaved } from '#console/accounts/settings/unsaved.tsx'
import { destinationsQuery, parsePrefixes, prefixFault, saveCompanyDestinations } from './calls.ts'
import { Field, TextInput } from '#console/ui/field.tsx'
import { PanelForm } from '#console/ui/form-parts.tsx'
import { wholeNumber } from '#console/ui/typed-number.ts'

const MOST_A_DAY = 100_000

const text = z.optional(z.string())

/** Unsaved input. Fields without input follow the record. */
const Draft = z.object({ allow: text, deny: text, cap: text })
type Draft = z.infer<typeof Draft>

export function DestinationForm({ record, company }: { record: Destinations; company: string | undefined }) {
  const queryClient = useQueryClient()
  const kept = useUnsaved(`destinations ${record.company_id}`, Draft)
  const { draft, change } = kept
  const form = useForm({
    save: ({ change }: { change: Omit<Destinations, 'company_id'>; sent: Draft }) =>
      saveCompanyDestinations(change, company),
    failed: words.saveFailed,
    onSaved(saved, { sent }) {
      const { queryKey } = destinationsQuery(company)
      queryClient.setQueryData(queryKey, saved)
      reloadIfLoading(queryClient, queryKey)
      change((now) => withoutSent(now, sent))
    },
  })
  const allow = draft.allow ?? record.allow.join('\n')
  const deny = draft.deny ?? record.deny.join('\n')
  const cap = draft.cap ?? String(record.max_per_recipient_dayly ?? '')
  const restricts = record.allow.length + record.deny.length > 0 || record.max_per_recipient_dayly !== null

  function edit(next: Draft): void {
    change(next)
    form.edited()
  }

  function submit(): void {
    const most = cap.trim() === '' ? null : wholeNumber(cap, 1, MOST_A_DAY)
    const prefixes = { allow: parsePrefixes(allow), deny: parsePrefixes(deny) }
    const refused = form.refuses({
      allow: prefixFault(prefixes.allow),
      deny: prefixFault(prefixes.deny),
      max_per_recipient_dayly: most === undefined ? words.capRange : undefined,
    })
    if (refused || most === undefined) return
    form.send({ change: { ...prefixes, max_per_recipient_dayly: most }, sent: draft })
  }

  return (
    <PanelForm
      form={form}
      action={words.save}
      words={{ saving: settings.saving, saved: words.saved }}
      unsaved={<UnsavedNote kept={kept} form={form} />}
      onSubmit={submit}
    >
      {!restricts && <p className="font-medium">{words.everything}</p>}
      <Prefixes
        label={words.allow}
        hint={words.allowHint}
        error={form.fields.allow}
        value={allow}
        onChange={(typed) => edit({ allow: typed })}
      />
      <Prefixes
        label={words.deny}
        hint={words.denyHint}
        error={form.fields.deny}
        value={deny}
        onChange={(typed) => edit({ deny: typed })}
      />
      <Field label={words.cap} hint={words.capHint} error={form.fields.max_per_recipient_dayly}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            className="max-w-48"
            inputMode="numeric"
            autoComplete="off"
            value={cap}
            onChange={(event) => edit({ cap: event.target.value })}
          />
        )}
      </Field>
    </PanelForm>
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
  error: string | true | undefined
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
