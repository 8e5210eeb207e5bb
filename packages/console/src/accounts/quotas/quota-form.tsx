import { quotaNames, type QuotaName, type Quotas, type QuotasChange } from '@sdd/contract/accounts/quotas.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { fieldsOf, whyOf } from '#console/core/api.ts'
import { quotas as words } from './text.ts'
import { settings } from '#console/accounts/settings/text.ts'
import { quotaIn, quotasQuery, save } from './calls.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'
import { figure } from '#console/ui/numbers.ts'

/** What was typed and is not saved; what was not follows the record. */
type Draft = Partial<Record<QuotaName, string>>

type Props = { record: Quotas; company: string | undefined; writes: boolean }

export function QuotaForm({ record, company, writes }: Props) {
  const queryClient = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState<Draft>({})
  const [faults, setFaults] = useState<Record<string, string>>({})
  const saving = useMutation({
    mutationFn: (change: QuotasChange) => save(change, company),
    onSuccess(saved) {
      queryClient.setQueryData(quotasQuery(company).queryKey, saved)
      setDraft({})
    },
    onError: (why) => refuse(fieldsOf(why)),
  })
  const { isPending: busy, isSuccess, error } = saving

  function edit(name: QuotaName, typed: string): void {
    setDraft((now) => ({ ...now, [name]: typed }))
    setFaults({})
    saving.reset()
  }

  function refuse(found: Record<string, string>): void {
    setFaults(found)
    focusInvalid(form)
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (busy || !writes) return
    const typed = Object.entries(draft).map(([name, one]) => [name, quotaIn(one)] as const)
    const wrong = typed.filter(([, most]) => most === undefined)
    if (wrong.length > 0) return refuse(Object.fromEntries(wrong.map(([name]) => [name, words.range])))
    setFaults({})
    saving.mutate(Object.fromEntries(typed))
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="panel flex flex-col gap-5 p-5 max-md:p-4">
      {quotaNames.map((name) => {
        const { most, usual, used } = record.quotas[name]
        const hint = `${used === null ? '' : words.used(figure(used))}${name === 'sessions' ? words.sessionsHint : ''}${words.usual(figure(usual))}${writes ? words.emptied : '.'}`
        return (
          <Field key={name} label={words.names[name]} hint={hint} error={faults[name]}>
            {(ids) => (
              <TextInput
                {...ids}
                tall
                className="max-w-48"
                type="number"
                inputMode="numeric"
                min={0}
                step={1}
                readOnly={!writes}
                value={draft[name] ?? String(most)}
                onChange={(event) => edit(name, event.target.value)}
              />
            )}
          </Field>
        )
      })}
      {isSuccess && <Notice tone="ok">{words.saved}</Notice>}
      {error && <Notice tone="bad">{whyOf(error, words.saveFailed)}</Notice>}
      {writes && (
        <div className="flex">
          <Button
            type="submit"
            tone="primary"
            size="lg"
            disabled={busy}
            aria-busy={busy}
            className="min-w-28"
          >
            {busy ? settings.saving : words.save}
          </Button>
        </div>
      )}
    </form>
  )
}
