import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { useLive } from '#console/core/live/live-context.ts'
import { text } from '#console/core/text.ts'
import { deviceSettings as words } from './text.ts'
import { settings } from '#console/accounts/settings/text.ts'
import { followStatuses } from '#console/fleet/devices/devices.ts'
import { deviceSettingsQuery, type DeviceSettings } from './limits.ts'
import { limitColumns } from './limit-columns.tsx'
import { LimitEditContext, useLimitEdit } from './use-limit-edit.ts'
import { Button, buttonLook } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { useKeys } from '#console/ui/keys.ts'
import { ListTable } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useDraft } from '#console/ui/use-draft.ts'
import './limits.css'

type Props = {
  writes: boolean
  search: string | undefined
  /** The uid of the device whose limit is being edited. */
  edit: string | undefined
  onChange: (next: { search?: string | undefined; edit?: string | undefined }) => void
}

export default function DeviceTab({ writes, search = '', edit: uid, onChange }: Props) {
  const queryClient = useQueryClient()
  const live = useLive()
  const { data: devices, isError, refetch } = useQuery(deviceSettingsQuery)
  const searchInput = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useDraft(search, (value) => onChange({ search: value || undefined }), 250)
  const shown = useMemo(() => devices && withUid(devices, draft), [devices, draft])
  const edit = useLimitEdit(writes, uid, (next) => onChange({ edit: next }))
  useEffect(() => followStatuses(live, queryClient, deviceSettingsQuery.queryKey), [live, queryClient])
  useKeys({ '/': () => searchInput.current?.focus() })

  return (
    <>
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          <span>{words.loadFailed}</span> {devices && text.kept}
        </Notice>
      )}
      {edit.fault && (
        <Notice tone="bad">
          <span className="mono">{edit.fault.uid}</span> <span>{edit.fault.said}</span>
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          ref={searchInput}
          placeholder={words.search}
          value={draft}
          onValue={setDraft}
          className="w-[270px] max-md:w-full"
        />
        {!writes && <p className="text-sm text-muted">{settings.readOnly}</p>}
      </div>
      {(devices || !isError) && (
        <LimitEditContext value={edit}>
          <ListTable
            label={settings.device}
            region={words.list}
            rows={shown}
            keyOf={uidOf}
            columns={limitColumns}
            className="limit-table"
            stateOf={statusOf}
            tabular="(min-width: 760px)"
            rowHeight={{ table: 46, card: 104 }}
            onCopy={(device) => void copyText(device.uid, words.copied(device.uid))}
          >
            {shown?.length === 0 &&
              (draft === '' ? <NoDevices /> : <NoneFound onClear={() => setDraft('')} />)}
          </ListTable>
        </LimitEditContext>
      )}
    </>
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

function NoneFound({ onClear }: { onClear: () => void }) {
  return (
    <>
      <p className="mb-3">{words.emptyFiltered}</p>
      <Button onClick={onClear}>{words.clear}</Button>
    </>
  )
}

function withUid(devices: readonly DeviceSettings[], search: string): readonly DeviceSettings[] {
  const wanted = search.trim().toLowerCase()
  return wanted === '' ? devices : devices.filter(({ uid }) => uid.toLowerCase().includes(wanted))
}

function uidOf({ uid }: DeviceSettings): string {
  return uid
}

function statusOf({ status }: DeviceSettings): string {
  return status
}
