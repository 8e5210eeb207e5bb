import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useLive } from '#console/core/live/live-context.ts'
import { useRows } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { deviceSettings as words } from './text.ts'
import { settings } from '#console/accounts/settings/text.ts'
import { followStatuses } from '#console/fleet/devices/devices.ts'
import { deviceSettingsQuery, visibleLimits, type DeviceSettings } from './limits.ts'
import type { LimitSort } from './search.ts'
import { limitColumns } from './limit-columns.tsx'
import { LimitEditContext, useLimitEdit } from './use-limit-edit.ts'
import { buttonLook } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { SelectButton } from '#console/ui/select-button.tsx'
import { useSelection } from '#console/ui/use-selection.ts'
import { SearchField } from '#console/ui/search-field.tsx'
import { useSearch } from '#console/ui/use-search.ts'

const DeviceActions = lazyPart(() => import('#console/fleet/devices/device-actions.tsx'))

type Props = {
  writes: boolean
  search: string | undefined
  /** The uid of the device whose limit is being edited. */
  edit: string | undefined
  sort: LimitSort | undefined
  desc: boolean
  onChange: (next: {
    search?: string | undefined
    edit?: string | undefined
    sort?: LimitSort | undefined
    desc?: 'true' | undefined
  }) => void
}

export default function DeviceTab({ writes, search, edit: uid, sort, desc, onChange }: Props) {
  const queryClient = useQueryClient()
  const live = useLive()
  const list = useRows(deviceSettingsQuery)
  const { draft, field, clear } = useSearch(search, (value) => onChange({ search: value }))
  const edit = useLimitEdit(writes, uid, (next) => onChange({ edit: next }))
  const shown = list.rows && visibleLimits(list.rows, { search: draft, sort, desc })
  const selection = useSelection({ all: list.rows ?? [], shown: shown ?? [], keyOf: uidOf, nameOf: uidOf })
  useEffect(() => followStatuses(live, queryClient, deviceSettingsQuery.queryKey), [live, queryClient])

  return (
    <LimitEditContext value={edit}>
      <ListScreen
        list={list}
        shown={shown}
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
              {writes ? (
                <SelectButton selection={selection} />
              ) : (
                <p className="text-sm text-muted">{settings.readOnly}</p>
              )}
            </div>
          </>
        }
        keyOf={uidOf}
        columns={limitColumns()}
        cards="'uid status' auto 'sent sent' auto 'limit actions' auto/1fr auto"
        rowLook="data-[state=disconnected]:[--edge:var(--color-bad-solid)] card:min-h-[104px] card:data-[state=connected]:[--edge:var(--color-ok-solid)]"
        dataOf={dataOf}
        sort={{
          by: sort ?? '',
          desc,
          // The first press sorts ascending, the second descending.
          onSort: (key) =>
            onChange({ sort: key as LimitSort, desc: sort === key && !desc ? 'true' : undefined }),
        }}
        tabular="(min-width: 924px)"
        rowHeight={{ table: 46, card: 104 }}
        selection={writes ? selection : undefined}
        onCopy={(device) => void copyText(device.uid, words.copied(device.uid))}
        empty={
          draft === '' ? (
            <NoDevices />
          ) : (
            <EmptyList said={words.emptyFiltered} action={{ label: text.clearFilters, run: clear }} />
          )
        }
      />
      {selection.on && (
        <Suspense>
          <div className="-mx-6 -mb-6 max-md:-mx-3 max-md:-mb-3">
            <DeviceActions selection={selection} shown={shown?.length ?? 0} />
          </div>
        </Suspense>
      )}
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

function uidOf({ uid }: DeviceSettings): string {
  return uid
}

function dataOf({ status }: DeviceSettings) {
  return { 'data-state': status }
}
