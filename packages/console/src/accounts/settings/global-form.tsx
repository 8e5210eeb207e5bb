import { InboxRole, type GlobalSettingsChange } from '@sdd/contract/accounts/settings.ts'
import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldErrors } from '#console/core/api.ts'
import { withoutSent } from '#console/core/drafts.ts'
import { useForm } from '#console/core/form.ts'
import { globalSettings as words } from './global-text.ts'
import { settings } from './text.ts'
import { Check, Switch } from './checks.tsx'
import { areStopWords, saveFaultText, saveGlobal, parseWords } from './calls.ts'
import { globalSettingsQuery, type GlobalSettings } from './settings.ts'
import { SendingHoursDraft, sendingHoursDraftOf, sendingHoursFaults, sendingHoursOf } from './hours-draft.ts'
import { SendingHoursFields } from './hours-fields.tsx'
import { UnsavedNote, useUnsaved } from './unsaved.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { PanelForm } from '#console/ui/form-parts.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { wholeNumber } from '#console/ui/typed-number.ts'

const LONGEST_SECS = 86_400
const LONGEST_DAYS = 3_650

const text = z.optional(z.string())
const flag = z.optional(z.boolean())

/** Unsaved changes. Unchanged fields follow the record. */
const Draft = z.object({
  spoof: text,
  send: flag,
  retention: text,
  words: text,
  country: text,
  hours: z.optional(SendingHoursDraft),
  inbox: z.optional(InboxRole),
  joined: flag,
  factor: flag,
})
type Draft = z.infer<typeof Draft>

type Props = {
  record: GlobalSettings
  /** Sent to the server unless it is the user's own. */
  company: number | undefined
  writes: boolean
}

export function GlobalForm({ record, company, writes }: Props) {
  const queryClient = useQueryClient()
  const kept = useUnsaved(`settings ${record.id}`, Draft, writes)
  const { draft, change } = kept
  const form = useForm({
    save: async ({ wanted }: { wanted: Omit<GlobalSettingsChange, 'id'>; sent: Draft }) => ({
      ...record,
      ...wanted,
      ...(await saveGlobal({ id: record.id, ...wanted }, company)),
    }),
    failed: (fault) => ({ said: saveFaultText(fault), fields: fieldErrors(fault) }),
    async onSaved(saved, { sent }) {
      await queryClient.cancelQueries(globalSettingsQuery)
      queryClient.setQueryData(globalSettingsQuery.queryKey, (records) =>
        records?.map((one) => (one.id === record.id ? saved : one)),
      )
      change((now) => withoutSent(now, sent))
    },
  })
  const spoof = draft.spoof ?? String(record.spoof_time_secs)
  const sends = draft.send ?? record.send_enabled
  const retention = draft.retention ?? String(record.retention_days)
  const stopWords = draft.words ?? record.stop_words?.join(', ') ?? ''
  const wordFault = Object.entries(form.fields).find(([name]) => name.startsWith('stop_words'))?.[1]

  function edit(next: Draft): void {
    change(next)
    form.edited()
  }

  function submit(): void {
    const secs = wholeNumber(spoof, 0, LONGEST_SECS)
    const days = draft.retention === undefined ? undefined : wholeNumber(retention, 1, LONGEST_DAYS)
    const stop_words = draft.words === undefined ? undefined : parseWords(draft.words)
    const refused = form.refuses({
      spoof_time_secs: secs === undefined ? words.spoofTimeRange : undefined,
      retention_days: draft.retention !== undefined && days === undefined ? words.retentionRange : undefined,
      stop_words: stop_words && !areStopWords(stop_words) ? words.stopWordsRange : undefined,
      ...(draft.hours && sendingHoursFaults(draft.hours)),
    })
    if (refused || secs === undefined) return
    const wanted = {
      spoof_time_secs: secs,
      send_enabled: sends,
      // Leave out untouched fields: the user specification does not know these.
      ...(days !== undefined && { retention_days: days }),
      ...(stop_words && { stop_words }),
      ...(draft.country !== undefined && { default_country: draft.country.trim().toUpperCase() }),
      ...(draft.hours && { sending_hours: sendingHoursOf(draft.hours) }),
      ...(draft.inbox && { inbox_role: draft.inbox }),
      ...(draft.joined !== undefined && { new_devices_enabled: draft.joined }),
      ...(draft.factor !== undefined && { require_second_factor: draft.factor }),
    }
    form.send({ wanted, sent: draft })
  }

  return (
    <>
      {!record.send_enabled && (
        <Notice tone="warn">
          <b className="block font-semibold">{words.off}</b>
          <span className="block">{words.offMeans}</span>
        </Notice>
      )}
      {!record.send_enabled && record.held !== undefined && <Held count={record.held} />}
      <PanelForm
        form={form}
        action={words.save}
        disabled={!writes}
        words={{ saving: settings.saving, saved: words.saved }}
        unsaved={<UnsavedNote kept={kept} form={form} />}
        onSubmit={submit}
      >
        <Field label={words.spoofTime} hint={words.spoofTimeHint} error={form.fields.spoof_time_secs}>
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
        <Switch
          label={words.sendEnabled}
          on={sends}
          disabled={!writes}
          hint={sends === record.send_enabled ? undefined : sends ? words.willResume : words.willStop}
          onChange={(send) => edit({ send })}
        />
        {record.retention_days !== undefined && (
          <Field label={words.retention} hint={words.retentionHint} error={form.fields.retention_days}>
            {(ids) => (
              <TextInput
                {...ids}
                tall
                className="max-w-48"
                type="number"
                inputMode="numeric"
                min={1}
                max={LONGEST_DAYS}
                step={1}
                readOnly={!writes}
                value={retention}
                onChange={(event) => edit({ retention: event.target.value })}
              />
            )}
          </Field>
        )}
        {record.stop_words && (
          <Field label={words.stopWords} hint={words.stopWordsHint} error={wordFault}>
            {(ids) => (
              <TextInput
                {...ids}
                tall
                autoComplete="off"
                spellCheck={false}
                readOnly={!writes}
                value={stopWords}
                onChange={(event) => edit({ words: event.target.value })}
              />
            )}
          </Field>
        )}
        {record.default_country !== undefined && (
          <Field label={words.country} hint={words.countryHint} error={form.fields.default_country}>
            {(ids) => (
              <TextInput
                {...ids}
                tall
                className="max-w-48"
                autoComplete="off"
                spellCheck={false}
                maxLength={2}
                readOnly={!writes}
                value={draft.country ?? record.default_country}
                onChange={(event) => edit({ country: event.target.value })}
              />
            )}
          </Field>
        )}
        {record.sending_hours && (
          <SendingHoursFields
            draft={draft.hours ?? sendingHoursDraftOf(record.sending_hours)}
            faults={form.fields}
            writes={writes}
            onChange={(hours) => edit({ hours })}
          />
        )}
        {record.inbox_role && (
          <Field label={words.inbox} hint={words.inboxHint} error={form.fields.inbox_role}>
            {(ids) => (
              <Select
                {...ids}
                tall
                className="max-w-80"
                disabled={!writes}
                value={draft.inbox ?? record.inbox_role}
                onChange={({ target }) => edit({ inbox: InboxRole.parse(target.value) })}
              >
                <option value="user">{words.inboxRoles.user}</option>
                <option value="admin">{words.inboxRoles.admin}</option>
              </Select>
            )}
          </Field>
        )}
        {record.new_devices_enabled !== undefined && (
          <Check
            label={words.newDevices}
            on={draft.joined ?? record.new_devices_enabled}
            disabled={!writes}
            hint={draft.joined === false && record.new_devices_enabled ? words.newDevicesWait : undefined}
            onChange={(joined) => edit({ joined })}
          />
        )}
        {writes && record.require_second_factor !== undefined && (
          <Check
            label={words.requireFactor}
            on={draft.factor ?? record.require_second_factor}
            disabled={false}
            hint={
              draft.factor && !record.require_second_factor
                ? words.requireFactorMeans(company === undefined)
                : undefined
            }
            onChange={(factor) => edit({ factor })}
          />
        )}
      </PanelForm>
    </>
  )
}

/** The number of messages that devices have not finished while sending is off. It counts down live. */
function Held({ count }: { count: number }) {
  const none = count === 0
  return (
    <output
      className={`flex items-center gap-3 rounded-sm border px-3 py-2 ${none ? 'border-line bg-panel' : 'border-transparent bg-info-bg'}`}
    >
      <MarkIcon mark={none ? 'dash' : 'arc'} className={`size-4 ${none ? 'text-off' : 'text-info'}`} />
      <span>
        <b className="block font-semibold">
          {none ? words.nothingHeld : words.held(formatCount(count), count)}
        </b>
        {!none && <span className="block text-sm text-muted">{words.heldMeans}</span>}
      </span>
    </output>
  )
}
