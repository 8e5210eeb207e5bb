import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useLive } from '#console/core/live/live-context.ts'
import { useRows } from '#console/core/pages.ts'
import { deviceSettings as words } from './text.ts'
import { settings } from '#console/accounts/settings/text.ts'
import { followStatuses } from '#console/fleet/devices/devices.ts'
import { deviceSettingsQuery, type DeviceSettings } from './limits.ts'
import { limitColumns } from './limit-columns.tsx'
import { LimitEditContext, useLimitEdit } from './use-limit-edit.ts'
import { buttonLook } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useSearch } from '#console/ui/use-search.ts'

type Props = {
  writes: boolean
  search: string | undefined
  /** The uid of the device whose limit is being edited. */
  edit: string | undefined
  onChange: (next: { search?: string | undefined; edit?: string | undefined }) => void
}

export default function DeviceTab({ writes, search, edit: uid, onChange }: Props) {
  const queryClient = useQueryClient()
  const live = useLive()
  const list = useRows(deviceSettingsQuery)
  const { draft, field, clear } = useSearch(search, (value) => onChange({ search: value }))
  const edit = useLimitEdit(writes, uid, (next) => onChange({ edit: next }))
  useEffect(() => followStatuses(live, queryClient, deviceSettingsQuery.queryKey), [live, queryClient])

  return (
    <LimitEditContext value={edit}>
      <ListScreen
        list={list}
        shown={list.rows && withUid(list.rows, draft)}
        words={{ ...words, title: settings.device }}
        bar={
          <>
            {edit.fault && (
              <Notice tone="bad">
                <span className="mono">{edit.fault.uid}</span> <span>{edit.fault.said}</span>
              </Notice>
            )}
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
              <SearchField {...field} placeholder={words.search} className="w-[270px] max-md:w-full" />
              {!writes && <p className="text-sm text-muted">{settings.readOnly}</p>}
            </div>
          </>
        }
        keyOf={({ uid }) => uid}
        columns={limitColumns()}
        rowLook="data-[state=disconnected]:[--edge:var(--color-bad-solid)] card:min-h-[104px] card:[grid-template:'uid_status'_auto_'limit_actions'_auto/1fr_auto] card:data-[state=connected]:[--edge:var(--color-ok-solid)]"
        dataOf={dataOf}
        tabular="(min-width: 760px)"
        rowHeight={{ table: 46, card: 104 }}
        onCopy={(device) => void copyText(device.uid, words.copied(device.uid))}
        empty={
          draft === '' ? (
            <NoDevices />
          ) : (
            <EmptyList said={words.emptyFiltered} action={{ label: words.clear, run: clear }} />
          )
        }
      />
    </LimitEditContext>
  )
}

function NoDevices() {
  return (
    <>
      <p className="mb-3">{words.empty}</p>
      <Link to="/devices" search={{ link: 'new' }} className={buttonLook()}>
        {words.toDevices}
      </Link>
    </>
  )
}

function withUid(devices: readonly DeviceSettings[], search: string): readonly DeviceSettings[] {
  const wanted = search.trim().toLowerCase()
  return wanted === '' ? devices : devices.filter(({ uid }) => uid.toLowerCase().includes(wanted))
}

function dataOf({ status }: DeviceSettings) {
  return { 'data-state': status }
}
