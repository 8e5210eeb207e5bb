import type { Hours } from '@sdd/contract/accounts/sending-hours.ts'
import { useQuery } from '@tanstack/react-query'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { devicesQuery, quarantineOf, type Device } from '#console/fleet/devices/devices.ts'
import { hasPassed, type DraftFaults } from './draft.ts'
import { Step, type StepState } from './step.tsx'
import { newCampaign as words } from './text.ts'
import type { EditorState } from './use-editor.ts'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** When it begins and expires, its hours, and the devices that send it. */
export function WhenStep({
  editor,
  state,
  faults,
}: {
  editor: EditorState
  state: StepState
  faults: DraftFaults
}) {
  const { draft, change } = editor
  const begun = hasPassed(draft.not_before)
  return (
    <Step name="when" state={state}>
      <div className="grid grid-cols-[minmax(220px,1fr)_minmax(0,2fr)] gap-4 max-md:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-3">
          <Via editor={editor} />
          <Field
            label={words.notBefore}
            hint={begun ? words.notBeforePast : words.notBeforeHint}
            error={faults.not_before && words.timeFaults[faults.not_before]}
          >
            {(ids) => (
              <TextInput
                {...ids}
                type="datetime-local"
                value={draft.not_before}
                onChange={({ target }) => change({ not_before: target.value })}
              />
            )}
          </Field>
          <div>
            <h3 className="mb-1 font-semibold">{words.hours}</h3>
            <HoursText editor={editor} />
          </div>
          <Field
            label={words.expires}
            hint={words.expiresHint}
            error={faults.expires_at && words.timeFaults[faults.expires_at]}
          >
            {(ids) => (
              <TextInput
                {...ids}
                type="datetime-local"
                value={draft.expires_at}
                onChange={({ target }) => change({ expires_at: target.value })}
              />
            )}
          </Field>
        </div>
        <Devices editor={editor} />
      </div>
    </Step>
  )
}

/** The tag of the devices that send it, if any device has one. */
function Via({ editor: { draft, change, company } }: { editor: EditorState }) {
  const devices = useOwnDevices(company)
  const counts = new Map<string, number>()
  for (const { tags = [] } of devices ?? [])
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  // A tag that no device has any more can still be taken out.
  if (draft.via !== '' && !counts.has(draft.via)) counts.set(draft.via, 0)
  if (counts.size === 0) return null
  return (
    <Field label={words.via}>
      {(ids) => (
        <Select {...ids} value={draft.via} onChange={({ target }) => change({ via: target.value })}>
          <option value="">{words.anyDevice}</option>
          {[...counts]
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([tag, count]) => (
              <option key={tag} value={tag}>
                {words.tagged(tag, formatCount(count))}
              </option>
            ))}
        </Select>
      )}
    </Field>
  )
}

/** The devices of the campaign's company. */
function useOwnDevices(company: number | undefined): readonly Device[] | undefined {
  const { data: all } = useQuery(devicesQuery)
  return all?.filter(
    ({ company_id }) => company === undefined || company_id === undefined || company_id === company,
  )
}

/** The sending hours of its class, which the company has set. */
function HoursText({ editor: { draft, company } }: { editor: EditorState }) {
  const { data: records } = useQuery(globalSettingsQuery)
  const settings = records?.find(({ company_id }) => company_id === company)
  const hours = draft.class === '' ? undefined : settings?.sending_hours?.[draft.class]
  if (!hours) return <p className="text-sm text-muted">{draft.class !== '' && words.anyTime}</p>
  return (
    <div className="text-sm text-muted">
      <ul>
        {hours.windows.map(({ days, from, to }, n) => (
          <li key={n}>{words.hoursOf(daysText(days), from, to)}</li>
        ))}
      </ul>
      <p>
        {hours.zone === 'recipient' ? words.hoursZone.recipient : words.hoursZone.other(hours.zone)}.{' '}
        {words.hoursWait}
      </p>
    </div>
  )
}

function daysText(days: Hours['windows'][number]['days']): string {
  return days.map((day) => words.days[day]).join(' ')
}

const MOST_DEVICES = 6

/** The devices that may send it, the connected ones first, with the parts that each has left today. */
function Devices({ editor: { preview, company, draft } }: { editor: EditorState }) {
  const devices = useOwnDevices(company)
  const { data: records } = useQuery(globalSettingsQuery)
  const enabled = devices?.filter(
    ({ enabled, tags = [] }) => enabled && (draft.via === '' || tags.includes(draft.via)),
  )
  const sorted = enabled?.toSorted(
    (a, b) => Number(isAble(b)) - Number(isAble(a)) || (a.uid < b.uid ? -1 : 1),
  )
  const secs = records?.find(({ company_id }) => company_id === company)?.spoof_time_secs ?? 0
  const { basis, parts = 0 } = preview.data ?? {}
  return (
    <div className="min-w-0">
      <table className="w-full rounded-sm border border-line text-left">
        <thead className="bg-sunken text-sm text-muted">
          <tr>
            <th className={cell}>{words.devicesTable}</th>
            <th className={cell}>{words.pause}</th>
            <th className={`${cell} text-right`}>{words.left}</th>
          </tr>
        </thead>
        <tbody>
          {sorted?.slice(0, MOST_DEVICES).map((device) => (
            <tr key={device.uid} className="border-t border-line">
              <td className={cell}>
                <span className="flex min-w-0 items-center gap-2">
                  <MarkIcon
                    mark={isAble(device) ? 'dot' : 'square'}
                    className={`size-3 ${isAble(device) ? 'text-ok-solid' : 'text-bad-solid'}`}
                  />
                  <span lang="" className="mono min-w-24 wrap-anywhere">
                    {device.uid}
                  </span>
                </span>
              </td>
              <td className={`${cell} min-w-20 ${isAble(device) ? '' : 'text-bad'}`}>
                {isAble(device)
                  ? secs === 0
                    ? words.noPause
                    : words.pauseOf(String(secs))
                  : device.status !== 'connected'
                    ? words.away
                    : isResting(device)
                      ? words.resting
                      : words.unable}
              </td>
              <td className={`${cell} text-right tabular-nums`}>{isAble(device) ? leftOf(device) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-1.5 text-sm text-muted">
        {sorted &&
          sorted.length > MOST_DEVICES &&
          `${words.moreDevices(formatCount(sorted.length - MOST_DEVICES))}. `}
        {basis &&
          (basis.devices === 0
            ? words.noDevice
            : `${words.pace(formatCount(basis.per_hour), formatCount(basis.devices))}. ${words.left}: ${words.needed(formatCount(basis.room_today), formatCount(parts))}.`)}
      </p>
    </div>
  )
}

const cell = 'px-3 py-1.5 font-normal'

function isAble(device: Device): boolean {
  return device.status === 'connected' && quarantineOf(device, Date.now()) === undefined && !isResting(device)
}

/** In maintenance. */
function isResting({ maintenance_until }: Device): boolean {
  return Date.parse(maintenance_until ?? '') > Date.now()
}

function leftOf({ max_sms_dayly, sent_today = 0 }: Device): string {
  return max_sms_dayly === undefined ? '–' : formatCount(Math.max(0, max_sms_dayly - sent_today))
}
