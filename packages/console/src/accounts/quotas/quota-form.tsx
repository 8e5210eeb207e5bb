import { quotaNames, type QuotaName, type Quotas, type QuotasChange } from '@sdd/contract/accounts/quotas.ts'
import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { withoutSent } from '#console/core/drafts.ts'
import { useForm } from '#console/core/form.ts'
import { reloadIfLoading } from '#console/core/query.ts'
import { quotas as words } from './text.ts'
import { settings } from '#console/accounts/settings/text.ts'
import { UnsavedNote, useUnsaved } from '#console/accounts/settings/unsaved.tsx'
import { parseQuota, quotasQuery, saveCompanyQuotas } from './calls.ts'
import { Field, TextInput } from '#console/ui/field.tsx'
import { PanelForm } from '#console/ui/form-parts.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** Unsaved input. Fields without input follow the record. */
const Draft = z.record(z.string(), z.optional(z.string()))
type Draft = z.infer<typeof Draft>

type Props = { record: Quotas; company: string | undefined; writes: boolean }

export function QuotaForm({ record, company, writes }: Props) {
  const queryClient = useQueryClient()
  const kept = useUnsaved(`quotas ${record.company_id}`, Draft, writes)
  const { draft, change } = kept
  const form = useForm({
    save: ({ change }: { change: QuotasChange; sent: Draft }) => saveCompanyQuotas(change, company),
    failed: words.saveFailed,
    onSaved(saved, { sent }) {
      const { queryKey } = quotasQuery(company)
      queryClient.setQueryData(queryKey, saved)
      reloadIfLoading(queryClient, queryKey)
      change((now) => withoutSent(now, sent))
    },
  })

  function edit(name: QuotaName, typed: string): void {
    change({ [name]: typed })
    form.edited()
  }

  function submit(): void {
    if (!writes) return
    const typed = Object.entries(draft)
      .filter((pair): pair is [string, string] => pair[1] !== undefined)
      .map(([name, one]) => [name, parseQuota(one)] as const)
    const wrong = typed.filter(([, most]) => most === undefined)
    if (form.refuses(Object.fromEntries(wrong.map(([name]) => [name, words.range])))) return
    form.send({ change: Object.fromEntries(typed), sent: draft })
  }

  return (
    <PanelForm
      form={form}
      action={writes ? words.save : undefined}
      words={{ saving: settings.saving, saved: words.saved }}
      unsaved={<UnsavedNote kept={kept} form={form} />}
      onSubmit={submit}
    >
      {quotaNames.map((name) => {
        const { most, usual, used } = record.quotas[name]
        const hint = `${used === null ? '' : words.used(formatCount(used))}${name === 'sessions' ? words.sessionsHint : ''}${words.usual(formatCount(usual))}${writes ? words.emptied : '.'}`
        return (
          <Field key={name} label={words.names[name]} hint={hint} error={form.fields[name]}>
            {(ids) => (
              <TextInput
                {...ids}
                tall
                className="max-w-48"
                inputMode="numeric"
                autoComplete="off"
                readOnly={!writes}
                value={draft[name] ?? String(most)}
                onChange={(event) => edit(name, event.target.value)}
              />
            )}
          </Field>
        )
      })}
    </PanelForm>
  )
}
