import type { AlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import type { AlertRule, AlertRuleChange } from '@sdd/contract/outward/alerts.ts'
import { useMutation } from '@tanstack/react-query'
import { putRule, testChannel, useReloadAlerts } from './calls.ts'
import { dutyHours, dutyOf, hoursOfDuty } from './duty-hours.ts'
import { kindIcons } from './kind-icons.ts'
import { overRange, rangeOf } from './number-in.ts'
import { channelFaults as faults } from './channel-text.ts'
import { alertRules as words } from './text.ts'
import { ValueField } from './value-field.tsx'
import { useCompanies } from '#console/accounts/companies/companies.tsx'
import { hoursSummary } from '#console/accounts/hours/hours.ts'
import { faultText } from '#console/core/api.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { Button } from '#console/ui/button.tsx'
import { Select } from '#console/ui/field.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** A rule as a sentence. Its threshold, its switch and its hours are changed in place. */
export function RuleItem({
  rule,
  channels,
  open,
  onOpen,
}: {
  rule: AlertRule
  /** Those that it tells. */
  channels: readonly AlertChannel[]
  /** How many alerts of it are open. */
  open: number
  onOpen: (next: string) => void
}) {
  const reload = useReloadAlerts()
  const gone = useServerGone()
  const save = async (change: AlertRuleChange) => {
    await putRule({ id: rule.id, ...change })
    await reload()
  }
  // One after the other, and shown at once.
  const saving = useMutation({ mutationFn: save, scope: { id: `alert rule ${rule.id}` } })
  const shown = saving.isPending ? { ...rule, ...saving.variables } : rule
  const tests = useMutation({ mutationFn: () => Promise.all(channels.map(testOf)), onSettled: reload })
  const { name } = words.sentences[rule.condition]
  const duty = dutyOf(shown.hours)

  return (
    <li
      aria-label={name}
      className="flex flex-col gap-2 px-4 py-2 not-first:border-t not-first:border-line max-md:px-3"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {/* The target of a finger is larger than the box. */}
        <label className="grid shrink-0 place-items-center max-md:-mx-2.5 max-md:size-11">
          <input
            type="checkbox"
            className="size-[18px] max-md:size-[22px]"
            aria-label={words.on(name)}
            checked={shown.enabled}
            disabled={gone}
            onChange={({ target }) => saving.mutate({ enabled: target.checked })}
          />
        </label>
        <RuleSentence rule={rule} open={open} save={save} />
        <span className="flex flex-1 basis-52 flex-wrap items-center gap-1.5">
          {channels.length === 0 && <span className="text-sm text-muted">{words.nobody}</span>}
          {channels.map((channel) => (
            <ChannelName key={channel.id} channel={channel} />
          ))}
        </span>
        <span className="flex w-44 flex-col gap-0.5 max-md:w-full">
          <Select
            aria-label={words.when(name)}
            value={duty ?? 'other'}
            disabled={gone}
            onChange={({ target }) => {
              const chosen = dutyHours.find((one) => one === target.value)
              if (chosen) saving.mutate({ hours: hoursOfDuty(chosen) })
              else onOpen(`hours-${rule.id}`)
            }}
          >
            {dutyHours.map((one) => (
              <option key={one} value={one}>
                {words[one]}
              </option>
            ))}
            <option value="other">{words.otherHours}</option>
          </Select>
          {shown.hours && !duty && <span className="text-sm text-muted">{hoursSummary(shown.hours)}</span>}
        </span>
        <span className="flex gap-2 max-md:w-full max-md:justify-end">
          <Button
            needsServer
            size="sm"
            aria-label={words.testNamed(name)}
            aria-busy={tests.isPending}
            disabled={tests.isPending || channels.length === 0}
            onClick={() => tests.mutate()}
          >
            {tests.isPending ? words.testing : words.test}
          </Button>
          <Button
            needsServer
            size="sm"
            aria-label={words.changeNamed(name)}
            onClick={() => onOpen(`rule-${rule.id}`)}
          >
            {words.change}
          </Button>
          <Button
            needsServer
            size="sm"
            aria-label={words.removeNamed(name)}
            onClick={() => onOpen(`remove-${rule.id}`)}
          >
            {words.remove}
          </Button>
        </span>
      </div>
      {saving.error && <Notice tone="bad">{faultText(saving.error, words.saveFailed)}</Notice>}
      {tests.data?.map(({ id, delivered, said }) => (
        <Notice key={id} tone={delivered ? 'ok' : 'bad'}>
          {said()}
        </Notice>
      ))}
    </li>
  )
}

/** Its words are those of the language at the time they are drawn. */
async function testOf({ id, name }: AlertChannel) {
  try {
    const test = await testChannel(id)
    const said = () => (test.delivered ? words.testArrived(name) : words.testLost(name, faults.why(test)))
    return { id, delivered: test.delivered, said }
  } catch (fault) {
    return { id, delivered: false, said: () => words.testLost(name, faultText(fault, words.testFailed)) }
  }
}

function RuleSentence({
  rule: { condition, value, by, over, tags, enabled, company_id },
  open,
  save,
}: {
  rule: AlertRule
  open: number
  save: (change: AlertRuleChange) => Promise<void>
}) {
  const companies = useCompanies()
  const company = companies.length > 1 && companies.find(({ id }) => id === company_id)
  const { name, before, after } = words.sentences[condition]
  const range = rangeOf(condition)
  return (
    <span className="flex flex-[2] basis-80 flex-wrap max-md:basis-56 items-center gap-x-1.5 gap-y-1">
      <b className={`font-semibold ${enabled ? '' : 'text-muted'}`}>{name}</b>
      {range && value !== null && (
        <>
          <span className="text-muted">{before}</span>
          <ValueField
            label={words.valueOf(name)}
            name="value"
            value={value}
            range={range}
            save={(value) => save({ value })}
          />
          <span className="text-muted">{after}</span>
        </>
      )}
      {over !== null && (
        <>
          <span className="text-muted">{words.beforeOver}</span>
          <ValueField
            label={words.overOf(name)}
            name="over"
            value={over}
            range={overRange}
            save={(over) => save({ over })}
          />
          <span className="text-muted">{words.afterOver}</span>
        </>
      )}
      {by && <span className="text-muted">{words.by[by]}</span>}
      {open > 0 && (
        <Pill tone="bad" mark="square">
          {words.open(open)}
        </Pill>
      )}
      {tags.length > 0 && (
        <span className="w-full text-sm text-muted [overflow-wrap:anywhere]">
          {words.onlyTags(tags.join(', '))}
        </span>
      )}
      {company && <span className="w-full text-sm text-muted">{company.name}</span>}
    </span>
  )
}

function ChannelName({ channel: { kind, name, last } }: { channel: AlertChannel }) {
  const Icon = kindIcons[kind]
  const failed = last && !last.delivered
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1.5 rounded-sm border px-2 py-0.5 text-sm ${failed ? 'border-bad-solid text-bad' : 'border-line'}`}
    >
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      <span className="truncate">{name}</span>
    </span>
  )
}
