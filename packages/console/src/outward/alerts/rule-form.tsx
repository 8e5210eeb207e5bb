import { holds } from '@sdd/contract/core/roles.ts'
import { Tags } from '@sdd/contract/fleet/tags.ts'
import type { AlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import {
  alertConditions,
  deviceConditions,
  installationConditions,
  RateOf,
  simConditions,
  type AlertCondition,
  type AlertRule,
  type AlertRuleChange,
} from '@sdd/contract/outward/alerts.ts'
import { useState } from 'react'
import { putRule, useReloadAlerts } from './calls.ts'
import { alertDialogs as words } from './dialog-text.ts'
import { DutyFields } from './duty-fields.tsx'
import { dutyDraftOf, dutyFaults, hoursOfDraft } from './duty-hours.ts'
import { numberIn, rangeOf } from './number-in.ts'
import { alertRules } from './text.ts'
import { CompanyField, useCompanies } from '#console/accounts/companies/companies.tsx'
import { changedFields, useForm } from '#console/core/form.ts'
import { useRole } from '#console/core/use-role.ts'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { toast } from '#console/ui/toast.tsx'

/** A new rule, or the channels, tags and hours of one that exists. */
export function RuleForm({
  rule,
  channels,
  onClose,
}: {
  /** Undefined for a new one. */
  rule: AlertRule | undefined
  channels: readonly AlertChannel[]
  onClose: () => void
}) {
  const role = useRole()
  const reload = useReloadAlerts()
  const [own] = useCompanies()
  const [condition, setCondition] = useState<AlertCondition>(rule?.condition ?? 'device_away')
  const [value, setValue] = useState(String(rule?.value ?? 10))
  const [by, setBy] = useState<RateOf>(rule?.by ?? 'device')
  const [tags, setTags] = useState(rule?.tags.join(', ') ?? '')
  const [told, setTold] = useState<readonly number[]>(rule?.channels ?? [])
  const [duty, setDuty] = useState(() => dutyDraftOf(rule?.hours ?? null, false))
  const [company, setCompany] = useState<number>()
  const form = useForm({
    save: (sent: AlertRuleChange) => putRule(sent, company),
    failed: words.ruleFailed,
    onSaved() {
      toast({ text: words.ruleSaved })
      onClose()
      void reload()
    },
  })
  const range = rangeOf(condition)
  const rate = condition === 'failure_rate'
  const tagged = [...deviceConditions, ...simConditions].includes(condition) || (rate && by === 'device')
  const companyId = rule?.company_id ?? company ?? own?.id
  const offered = channels.filter(({ company_id }) => companyId === undefined || company_id === companyId)
  // Only superadmins have rules about the installation.
  const conditions = alertConditions.filter(
    (one) => holds(role, 'quotas:write') || !installationConditions.includes(one),
  )

  function submit(): void {
    const given = range && (value === String(rule?.value) ? rule?.value : numberIn(value, range))
    const chosen = tagged
      ? tags
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean)
      : []
    const parsed = Tags.safeParse(chosen)
    const refused = form.refuses({
      value:
        range && given === undefined
          ? (range.whole ? alertRules.wholeRange : alertRules.range)(range.least, range.most)
          : undefined,
      tags: parsed.success ? undefined : words.tagsWrong,
      ...dutyFaults(duty),
    })
    if (refused) return
    const inOrder = (ids: readonly number[]) => offered.map(({ id }) => id).filter((id) => ids.includes(id))
    const typed = {
      value: given ?? null,
      ...(rate && { by }),
      tags: chosen,
      hours: hoursOfDraft(duty),
      channels: inOrder(told),
    }
    if (!rule) return form.send({ condition, ...typed })
    const hours = hoursOfDraft(dutyDraftOf(rule.hours, false))
    const before = { ...rule, hours, channels: inOrder(rule.channels) }
    form.send({ id: rule.id, ...changedFields(before, typed) })
  }

  return (
    <FormModal
      title={rule ? alertRules.sentences[condition].name : alertRules.addRule}
      form={form}
      action={words.save}
      wide={duty.chosen === 'own'}
      onSubmit={submit}
      onClose={onClose}
    >
      {!rule && <CompanyField value={company} onChange={setCompany} />}
      {!rule && (
        <Field label={words.condition} error={form.fields.condition}>
          {(ids) => (
            <Select
              {...ids}
              tall
              value={condition}
              onChange={({ target }) =>
                setCondition(alertConditions.find((one) => one === target.value) ?? condition)
              }
            >
              {conditions.map((one) => (
                <option key={one} value={one}>
                  {alertRules.sentences[one].name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {range && (
        <Field
          label={words.value}
          hint={`${alertRules.sentences[condition].before} … ${alertRules.sentences[condition].after}`}
          error={form.fields.value}
        >
          {(ids) => (
            <TextInput
              {...ids}
              tall
              inputMode={range.whole ? 'numeric' : 'decimal'}
              autoComplete="off"
              maxLength={13}
              value={value}
              onChange={({ target }) => setValue(target.value)}
            />
          )}
        </Field>
      )}
      {rate && (
        <Field label={alertRules.byLabel} error={form.fields.by}>
          {(ids) => (
            <Select {...ids} tall value={by} onChange={({ target }) => setBy(RateOf.parse(target.value))}>
              {RateOf.options.map((one) => (
                <option key={one} value={one}>
                  {alertRules.by[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {tagged && (
        <Field label={words.tags} hint={words.tagsHint} error={form.fields.tags}>
          {(ids) => (
            <TextInput
              {...ids}
              tall
              autoComplete="off"
              spellCheck={false}
              value={tags}
              onChange={({ target }) => setTags(target.value)}
            />
          )}
        </Field>
      )}
      <fieldset className="flex flex-col">
        <legend className="mb-1 font-semibold">{words.channels}</legend>
        {offered.length === 0 && <p className="text-sm text-muted">{words.noChannels}</p>}
        {offered.map(({ id, name }) => (
          <label key={id} className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
            <input
              type="checkbox"
              className="size-[18px] shrink-0"
              checked={told.includes(id)}
              onChange={({ target }) =>
                setTold(target.checked ? [...told, id] : told.filter((one) => one !== id))
              }
            />
            <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{name}</span>
          </label>
        ))}
      </fieldset>
      <DutyFields duty={duty} faults={form.fields} onChange={setDuty} />
    </FormModal>
  )
}
