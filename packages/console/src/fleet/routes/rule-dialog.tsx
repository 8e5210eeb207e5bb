import { CallFault } from '@sdd/contract/core/client.ts'
import { Country } from '@sdd/contract/core/countries.ts'
import { messageClasses, type MessageClass } from '@sdd/contract/core/fields.ts'
import type { NewRouteRule, RouteList, RouteMatch, RouteRule } from '@sdd/contract/fleet/routes.ts'
import { Tag } from '@sdd/contract/fleet/tags.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { fieldErrors, faultText } from '#console/core/api.ts'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { devicesQuery, tagsOf } from '#console/fleet/devices/devices.ts'
import { routesQuery, useRoutesSaving } from './calls.ts'
import { valuesOf } from './hiding.ts'
import type { Names } from './names.ts'
import { routes as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { CheckList } from '#console/ui/check-list.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'
import { wholeNumber } from '#console/ui/typed-number.ts'

type Props = { company: string | undefined; open: string; list: RouteList; names: Names; onClose: () => void }

/** The form of a new or an open rule. */
export default function RuleDialog(props: Props) {
  const { open, list, onClose } = props
  // A copy from when the dialog opened: a change by another user must not replace the typed texts.
  const [rule] = useState(() => list.routes.find(({ id }) => String(id) === open))
  if (open !== 'new' && !rule)
    return (
      <Modal title={words.title} onClose={onClose}>
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.gone}
        </Notice>
      </Modal>
    )
  return <RuleForm {...props} rule={rule} />
}

const FALLBACKS = ['any', 'tag', 'wait', 'refuse'] as const
type Fallback = (typeof FALLBACKS)[number]

function RuleForm({ company, list: opened, names, onClose, rule }: Props & { rule: RouteRule | undefined }) {
  const client = useQueryClient()
  const saving = useRoutesSaving(company)
  /** The list that the user has seen: that of when the dialog opened, or when they were told of a change. */
  const [list, setList] = useState(opened)
  const tagList = useId()
  const { data: devices = [] } = useQuery(devicesQuery)
  const { match, via: before } = rule ?? { match: {}, via: '' }
  const [prefix, setPrefix] = useState(valuesOf(match, 'prefix').join(', '))
  const [country, setCountry] = useState(valuesOf(match, 'country').join(', '))
  const [classes, setClasses] = useState(valuesOf(match, 'class') as MessageClass[])
  const [key, setKey] = useState(match.api_key_id)
  const [campaign, setCampaign] = useState(match.campaign)
  const [via, setVia] = useState(before ?? '')
  const known = FALLBACKS.find((one) => one === rule?.fallback)
  const [fallback, setFallback] = useState<Fallback>(known ?? (rule ? 'tag' : 'any'))
  const [other, setOther] = useState(known || !rule ? '' : rule.fallback)
  const [after, setAfter] = useState(String(rule?.fallback_after_secs ?? 0))
  const [enabled, setEnabled] = useState(rule?.enabled ?? true)
  const [note, setNote] = useState(rule?.note ?? '')
  const [place] = useState(() => (rule ? list.routes.findIndex(({ id }) => id === rule.id) : -1))
  const form = useForm({
    save: ({ routes }: { routes: readonly (RouteRule | NewRouteRule)[]; removes?: boolean }) =>
      saving.mutateAsync({ routes, version: () => list.version }).catch((fault: unknown) => {
        if (fault instanceof CallFault && fault.code === 'routes_changed')
          setList((before) => client.getQueryData(routesQuery(company).queryKey) ?? before)
        throw fault
      }),
    failed: (fault) => ({ said: faultText(fault, words.saveFailed), fields: ownFaults(fault) }),
    onSaved(saved, { removes }) {
      toast(
        removes
          ? {
              text: words.removed,
              action: { label: words.undo, run: () => void restore(saved) },
              fades: true,
            }
          : { text: words.saved },
      )
      onClose()
    },
  })

  async function restore({ routes: now, version }: RouteList): Promise<void> {
    const { id: _, ...rest } = rule!
    const routes = [...now.slice(0, place), rest, ...now.slice(place)]
    await saving
      .mutateAsync({ routes, version: () => version })
      .catch((fault: unknown) => toast({ text: faultText(fault, words.saveFailed) }))
  }

  function submit(): void {
    const prefixes = listOf(prefix)
    const countries = listOf(country).map((code) => code.toUpperCase())
    const delays = fallback === 'any' || fallback === 'tag'
    const seconds = delays ? wholeNumber(after, 0, 86_400) : 0
    const refused = form.refuses({
      prefix: prefixes.every((one) => /^\+\d{1,15}$/.test(one)) ? undefined : words.prefixesWrong,
      country: countries.every((one) => Country.safeParse(one).success) ? undefined : words.countriesWrong,
      via: via.trim() === '' || Tag.safeParse(via.trim()).success ? undefined : words.tagWrong,
      fallback: fallback !== 'tag' || Tag.safeParse(other.trim()).success ? undefined : words.tagWrong,
      fallback_after_secs: seconds === undefined ? words.afterWrong : undefined,
    })
    if (refused || seconds === undefined) return
    const matched: RouteMatch = {
      ...(prefixes.length > 0 && { prefix: prefixes }),
      ...(countries.length > 0 && { country: countries }),
      ...(classes.length > 0 && { class: classes }),
      ...(key !== undefined && { api_key_id: key }),
      ...(campaign !== undefined && { campaign }),
    }
    const changed: NewRouteRule = {
      ...(rule && { id: rule.id }),
      match: matched,
      via: via.trim() || null,
      fallback: fallback === 'tag' ? other.trim() : fallback,
      fallback_after_secs: seconds,
      enabled,
      note: note.trim() || null,
    }
    form.send({ routes: withRule(list.routes, changed, place) })
  }

  return (
    <FormModal
      title={rule ? words.editTitle(place + 1) : words.add}
      form={form}
      action={words.save}
      onSubmit={submit}
      onClose={onClose}
    >
      <datalist id={tagList}>
        {tagsOf(devices).map(([tag]) => (
          <option key={tag}>{tag}</option>
        ))}
      </datalist>
      <Typed
        label={words.prefixes}
        hint={words.prefixesHint}
        error={form.fields.prefix}
        value={prefix}
        onType={setPrefix}
      />
      <Typed
        label={words.countries}
        hint={words.countriesHint}
        error={form.fields.country}
        value={country}
        onType={setCountry}
      />
      <CheckList
        label={words.class}
        options={messageClasses}
        words={words.classes}
        chosen={classes}
        onChange={(chosen) => setClasses([...chosen])}
      />
      <Choice
        label={words.key}
        error={form.fields.api_key_id}
        value={key}
        named={names.keys}
        onChoose={setKey}
      />
      <Choice
        label={words.campaign}
        error={form.fields.campaign}
        value={campaign}
        named={names.campaigns}
        onChoose={setCampaign}
      />
      <Typed
        label={words.via}
        hint={words.viaHint}
        error={form.fields.via}
        value={via}
        onType={setVia}
        list={tagList}
      />
      <Field label={words.fallback}>
        {(ids) => (
          <Select
            {...ids}
            tall
            value={fallback}
            onChange={({ target }) => setFallback(target.value as Fallback)}
          >
            {FALLBACKS.map((one) => (
              <option key={one} value={one}>
                {words.fallbacks[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {fallback === 'tag' && (
        <Typed
          label={words.otherGroup}
          error={form.fields.fallback}
          value={other}
          onType={setOther}
          list={tagList}
        />
      )}
      {(fallback === 'any' || fallback === 'tag') && (
        <Typed
          label={words.afterSecs}
          error={form.fields.fallback_after_secs}
          value={after}
          onType={setAfter}
          inputMode="numeric"
        />
      )}
      <Typed label={words.note} error={form.fields.note} value={note} onType={setNote} maxLength={200} />
      <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
        <input
          type="checkbox"
          className="size-[18px]"
          checked={enabled}
          onChange={({ target }) => setEnabled(target.checked)}
        />
        {words.enabled}
      </label>
      {rule && (
        <Button
          needsServer
          className="self-start"
          disabled={form.pending}
          onClick={() => form.send({ routes: list.routes.filter(({ id }) => id !== rule.id), removes: true })}
        >
          {words.remove}
        </Button>
      )}
    </FormModal>
  )
}

/** The routes with the changed rule. One that was removed meanwhile is a new one, in its former place. */
function withRule(
  routes: readonly RouteRule[],
  changed: NewRouteRule,
  place: number,
): (RouteRule | NewRouteRule)[] {
  const { id, ...rest } = changed
  if (id === undefined) return [...routes, rest]
  return routes.some((one) => one.id === id)
    ? routes.map((one) => (one.id === id ? changed : one))
    : [...routes.slice(0, place), rest, ...routes.slice(place)]
}

function Typed({
  label,
  hint,
  error,
  value,
  onType,
  ...rest
}: {
  label: string
  hint?: string
  error: string | true | undefined
  value: string
  onType: (value: string) => void
  list?: string
  maxLength?: number
  inputMode?: 'numeric'
}) {
  return (
    <Field label={label} {...(hint && { hint })} {...(error && { error })}>
      {(ids) => (
        <TextInput
          {...ids}
          {...rest}
          tall
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onType(target.value)}
        />
      )}
    </Field>
  )
}

function Choice({
  label,
  error,
  value,
  named,
  onChoose,
}: {
  label: string
  error: string | true | undefined
  value: number | undefined
  named: readonly { id: number; name: string }[]
  onChoose: (id: number | undefined) => void
}) {
  const missing = value !== undefined && !named.some(({ id }) => id === value)
  return (
    <Field label={label} {...(error && { error })}>
      {(ids) => (
        <Select
          {...ids}
          tall
          value={value ?? ''}
          onChange={({ target }) => onChoose(target.value === '' ? undefined : Number(target.value))}
        >
          <option value="">{words.any}</option>
          {missing && <option value={value}>{value}</option>}
          {named.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

function listOf(typed: string): string[] {
  return typed
    .split(/[\s,;]+/)
    .map((one) => one.trim())
    .filter(Boolean)
}

/** The errors of the fields of the one rule that was changed: `routes.2.match.prefix` is that of `prefix`. */
function ownFaults(fault: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fieldErrors(fault)).map(([name, said]) => [
      name.replace(/^routes\.\d+\.(match\.)?/, '').replace(/\.\d+$/, ''),
      said,
    ]),
  )
}
