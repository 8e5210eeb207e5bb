import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Link2 } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useRef, useState, type ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { devices as words } from './text.ts'
import { linking } from './linking-text.ts'
import { useRole } from '#console/core/use-role.ts'
import { DeviceTable } from './device-table.tsx'
import { devicesQuery } from './devices.ts'
import { FleetFilters } from './fleet-filters.tsx'
import { FleetStrip } from './fleet-strip.tsx'
import type { DeviceSearch, FleetFilter, SortKey } from './search.ts'
import { countFleet, type FleetView } from './view.ts'
import type { RecentMessages } from './network-panel.tsx'
import { Button } from '#console/ui/button.tsx'
import { DensityButton, type Density } from '#console/ui/density.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { usePreference } from '#console/ui/preference.ts'
import { SearchField } from '#console/ui/search-field.tsx'
import { useDraft } from '#console/ui/use-draft.ts'
import { useMedia, WIDE } from '#console/ui/use-media.ts'

const LinkDialog = lazy(() => import('./link-dialog.tsx'))

const route = getRouteApi('/shell/devices')
type Props = {
  RecentMessages: RecentMessages
  /** The form that sends through a device. */
  sendDialog: (uid: string, onClose: () => void) => ReactNode
}

export function DevicesScreen({ RecentMessages, sendDialog }: Props) {
  const { search = '', show = 'all', sort = 'id', desc, open = '', send, link } = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMedia(WIDE)
  const manages = holds(useRole(), 'devices:manage')
  const { data: devices, isError, isFetching, refetch } = useQuery(devicesQuery)
  const [density, setDensity] = usePreference<Density>('devices-density', ['comfortable', 'compact'])
  // State, not a ref: with the devices already loaded the table is there before what scrolls it.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const searchInput = useRef<HTMLInputElement>(null)
  const change = useCallback(
    (next: Partial<DeviceSearch>) =>
      void navigate({ search: (now) => ({ ...now, ...next }), replace: !next.send && !next.link }),
    [navigate],
  )
  const [draft, setDraft] = useDraft(search, (value) => change({ search: value || undefined }), 250)
  const view = useMemo<FleetView>(
    () => ({ search: draft, show, sort, desc: desc === 'true' }),
    [draft, show, sort, desc],
  )
  const openUids = useMemo(() => new Set(open.split(',').filter(Boolean)), [open])
  const counts = useMemo(() => devices && countFleet(devices), [devices])
  useKeys({ '/': () => searchInput.current?.focus() })

  const toggleOpen = useCallback(
    (uid: string) =>
      void navigate({ search: (now) => ({ ...now, open: toggled(now.open, uid) }), replace: true }),
    [navigate],
  )
  const sortBy = useCallback(
    (key: SortKey) => void navigate({ search: (now) => ({ ...now, ...sorted(now, key) }), replace: true }),
    [navigate],
  )
  const openSend = useCallback((uid: string) => change({ send: uid }), [change])
  const linkButton = manages && (
    <Button onClick={() => change({ link: 'new' })}>
      <Link2 className="size-4" aria-hidden="true" />
      {linking.open}
    </Button>
  )

  return (
    <Page title={words.title} beside={wide && <span className="ml-auto">{linkButton}</span>}>
      <div
        ref={setScroller}
        className="relative min-h-0 flex-1 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:pt-3"
      >
        <div className="flex flex-col gap-3 pb-3">
          {isError && (
            <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
              {words.loadFailed} {devices && words.kept}
            </Notice>
          )}
          {devices && devices.length > 0 && <FleetStrip devices={devices} />}
          <div className="flex flex-wrap items-center gap-2.5">
            <FleetFilters
              counts={counts}
              shown={show}
              onShow={(filter: FleetFilter) => change({ show: filter === 'all' ? undefined : filter })}
            />
            <SearchField
              ref={searchInput}
              placeholder={words.search}
              value={draft}
              onValue={setDraft}
              className="ml-auto w-[270px] max-md:w-auto max-md:flex-[1_0_200px]"
            />
            {!wide && linkButton}
            <span className="max-lg:hidden">
              <DensityButton density={density} onDensity={setDensity} />
            </span>
          </div>
        </div>
        {(devices || isFetching) && (
          <DeviceTable
            devices={devices}
            view={view}
            density={density}
            open={openUids}
            manages={manages}
            scroller={scroller}
            onSort={sortBy}
            onToggle={toggleOpen}
            onSend={openSend}
            RecentMessages={RecentMessages}
          >
            {devices?.length === 0 && linkButton}
          </DeviceTable>
        )}
      </div>
      {link && manages && (
        <Suspense>
          <LinkDialog
            view={link}
            onView={(next) => change({ link: next })}
            onClose={() => change({ link: undefined })}
          />
        </Suspense>
      )}
      {send && <Suspense>{sendDialog(send, () => change({ send: undefined }))}</Suspense>}
    </Page>
  )
}

/** Up at first, down the second time. */
function sorted({ sort = 'id', desc }: DeviceSearch, key: SortKey): Pick<DeviceSearch, 'sort' | 'desc'> {
  return { sort: key, desc: sort === key && desc === undefined ? 'true' : undefined }
}

function toggled(open: string | undefined, uid: string): string | undefined {
  const uids = open ? open.split(',') : []
  const next = uids.includes(uid) ? uids.filter((other) => other !== uid) : [...uids, uid]
  return next.join(',') || undefined
}
