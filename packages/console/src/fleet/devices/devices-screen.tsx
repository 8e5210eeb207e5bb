import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Layers, Link2, SlidersHorizontal, X } from 'lucide-react'
import { Suspense, useCallback, useState, type ReactNode } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { devices as words } from './text.ts'
import { useRole } from '#console/core/use-role.ts'
import { deviceRowData } from './device-columns.tsx'
import { devicesQuery, type Device } from './devices.ts'
import { FleetFilters } from './fleet-filters.tsx'
import { FleetStrip } from './fleet-strip.tsx'
import { TagFilter } from './tag-filter.tsx'
import type { DeviceSearch, FleetFilter, SortKey } from './search.ts'
import type { RecentMessagesComponent } from './network-panel.tsx'
import { useColumns } from './use-columns.ts'
import { useEnabled } from './use-enabled.ts'
import { useFleetView } from './use-fleet-view.ts'
import { countFleet } from './view.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { DensityButton, type Density } from '#console/ui/density.tsx'
import { EmptyList } from '#console/ui/list-screen.tsx'
import { ScrolledList } from '#console/ui/list-table.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { usePreference } from '#console/ui/preference.ts'
import { SelectButton } from '#console/ui/select-button.tsx'
import { useSelection } from '#console/ui/use-selection.ts'
import { SearchField } from '#console/ui/search-field.tsx'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'
import { useSearch } from '#console/ui/use-search.ts'

const NetworkPanel = lazyPart(() => import('./network-panel.tsx'))
const DeviceActions = lazyPart(() => import('./device-actions.tsx'))
const ViewOptions = lazyPart(() => import('./view-options.tsx'))
const AgentsDialog = lazyPart(() => import('#console/fleet/agents/agents.tsx'))
const LinkDialog = lazyPart(() => import('./link-dialog.tsx'))

const route = getRouteApi('/shell/devices')

/** Row heights in px. */
const HEIGHTS = { comfortable: 48, compact: 37 } as const

type Props = {
  RecentMessages: RecentMessagesComponent
  sendDialog: (uid: string, onClose: () => void) => ReactNode
}

export function DevicesScreen({ RecentMessages, sendDialog }: Props) {
  const {
    search,
    show = 'all',
    carrier,
    tag,
    agent,
    sort = 'id',
    desc,
    open = '',
    send,
    link,
    view,
  } = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMedia(WIDE_SCREEN)
  const manages = holds(useRole(), 'devices:manage')
  const { data: devices, isError, isFetching, refetch } = useQuery(devicesQuery)
  const [density, setDensity] = usePreference<Density>('devices-density', ['comfortable', 'compact'])
  // State, not a ref: if the devices are already loaded, the table mounts before its scroller.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const change = useCallback(
    (next: Partial<DeviceSearch>) =>
      void navigate({ search: (now) => ({ ...now, ...next }), replace: !next.send && !next.link }),
    [navigate],
  )
  const { draft, field, clear } = useSearch(search, (value) => change({ search: value }))
  const { columns, extras, choose } = useColumns(manages, density)
  const setEnabled = useEnabled()
  const { rows, hold } = useFleetView(devices, {
    search: draft,
    show,
    carrier,
    tag,
    agent,
    sort,
    desc: desc === 'true',
  })
  const selection = useSelection({ all: devices ?? [], shown: rows, keyOf: uidOf, nameOf: uidOf })
  // The strip reads all devices, so it must not be drawn again for each typed key.
  const onShow = useCallback(
    (filter: FleetFilter) => change({ show: filter === 'all' ? undefined : filter }),
    [change],
  )
  const onCarrier = useCallback((next: string | undefined) => change({ carrier: next }), [change])
  const showAll = () => {
    clear()
    change({ search: undefined, show: undefined, carrier: undefined, tag: undefined, agent: undefined })
  }
  const uids = open.split(',').filter(Boolean)
  useKeys({ Escape: uids.length > 0 ? () => change({ open: undefined }) : undefined })
  const linkButton = manages && (
    <Button needsServer onClick={() => change({ link: 'new' })}>
      <Link2 className="size-4" aria-hidden="true" />
      {words.link}
    </Button>
  )

  return (
    <Page title={words.title} beside={wide && <span className="ml-auto">{linkButton}</span>}>
      <div
        ref={setScroller}
        className="@container relative min-h-0 flex-1 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:pt-3"
      >
        <div className="flex flex-col gap-3 pb-3">
          {isError && (
            <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
              {words.loadFailed} {devices && text.kept}
            </Notice>
          )}
          {devices && devices.length > 0 && (
            <FleetStrip {...{ devices, shown: show, carrier, onShow, onCarrier }} />
          )}
          <div className="flex flex-wrap items-center gap-2.5">
            <FleetFilters counts={devices && countFleet(devices)} shown={show} onShow={onShow} />
            {carrier !== undefined && (
              <Button onClick={() => onCarrier(undefined)}>
                {carrier || words.noCarrier}
                <X className="size-3.5" aria-hidden="true" />
                <span className="sr-only">{text.clearFilters}</span>
              </Button>
            )}
            {agent !== undefined && (
              <Button onClick={() => change({ agent: undefined })}>
                {agent || words.noAgent}
                <X className="size-3.5" aria-hidden="true" />
                <span className="sr-only">{text.clearFilters}</span>
              </Button>
            )}
            <TagFilter devices={devices} tag={tag} onTag={(next) => change({ tag: next })} />
            {/* On one line, however many filters there are. */}
            <span className="ml-auto flex items-center gap-2.5 max-md:contents">
              <SearchField
                {...field}
                placeholder={words.search}
                className="w-[270px] max-md:w-auto max-md:flex-[1_0_200px]"
              />
              {!wide && linkButton}
              {manages && <SelectButton selection={selection} />}
              <Button
                square
                aria-label={words.viewOptions}
                title={words.viewOptions}
                aria-expanded={view === 'open'}
                onClick={() => change({ view: view === 'open' ? undefined : 'open' })}
              >
                <SlidersHorizontal className="size-4" aria-hidden="true" />
              </Button>
              <Button
                square
                aria-label={words.agents}
                title={words.agents}
                onClick={() => change({ view: 'agents' })}
              >
                <Layers className="size-4" aria-hidden="true" />
              </Button>
              <span className="max-lg:hidden">
                <DensityButton density={density} onDensity={setDensity} />
              </span>
            </span>
          </div>
          {view === 'open' && (
            <Suspense>
              <ViewOptions
                sort={sort}
                desc={desc === 'true'}
                columns={extras}
                onSort={(by, down) => change({ sort: by, desc: down ? 'true' : undefined })}
                onColumns={choose}
              />
            </Suspense>
          )}
        </div>
        {(devices || isFetching) && (
          <ScrolledList
            label={words.title}
            rows={devices && rows}
            keyOf={uidOf}
            columns={columns}
            look="text-md tabular:w-auto tabular:rounded-md tabular:border tabular:border-line tabular:bg-panel tabular:[&>thead]:overflow-hidden tabular:[&>thead]:rounded-t-md card:[&_.skeleton]:h-[142px]"
            cards="'uid id' auto 'status location' auto 'created created' auto 'seen today' auto 'carrier signal' auto 'enabled actions' auto/auto 1fr"
            rowLook="data-[state=disabled]:[--edge:var(--color-off-solid)] data-[state=maintenance]:[--edge:var(--color-off-solid)] data-[state=disconnected]:[--edge:var(--color-bad-solid)] card:gap-x-2 card:gap-y-[5px] card:pb-2 card:data-[state=connected]:[--edge:var(--color-ok-solid)]"
            dataOf={deviceRowData}
            tabular="(min-width: 1000px)"
            rowHeight={{ table: HEIGHTS[density], card: 150 }}
            grows
            skeletons={8}
            scroller={scroller}
            sort={{
              by: sort,
              desc: desc === 'true',
              // The first press sorts ascending, the second descending.
              onSort: (key) =>
                change({ sort: key as SortKey, desc: sort === key && !desc ? 'true' : undefined }),
            }}
            open={uids}
            details={(device) => (
              <Suspense fallback={<div aria-busy="true" />}>
                <NetworkPanel device={device} RecentMessages={RecentMessages} toPage />
              </Suspense>
            )}
            acts={{
              toggle: ({ uid }) => change({ open: toggled(uids, uid).join(',') || undefined }),
              page: ({ uid }) => void navigate({ to: '/devices/$uid', params: { uid } }),
              send: ({ uid }) => change({ send: uid }),
              enable: ({ uid, enabled }) => setEnabled({ uid, enabled: !enabled }),
            }}
            onCopy={({ uid }) => void copyText(uid, words.copied(uid))}
            on={hold}
            selection={manages ? selection : undefined}
          >
            {devices && rows.length === 0 && (
              <>
                <EmptyList
                  said={words.empty}
                  action={devices.length > 0 && { label: text.clearFilters, run: showAll }}
                />
                {devices.length === 0 && linkButton && <div className="mt-3">{linkButton}</div>}
              </>
            )}
          </ScrolledList>
        )}
      </div>
      {selection.on && (
        <Suspense>
          <DeviceActions full selection={selection} shown={rows.length} />
        </Suspense>
      )}
      {view === 'agents' && (
        <Suspense>
          <AgentsDialog onClose={() => change({ view: undefined })} />
        </Suspense>
      )}
      {link && manages && (
        <Suspense>
          <LinkDialog
            view={link}
            onView={(next) => change({ link: next })}
            onTest={(uid) => change({ link: undefined, send: uid })}
            onClose={() => change({ link: undefined })}
          />
        </Suspense>
      )}
      {send && <Suspense>{sendDialog(send, () => change({ send: undefined }))}</Suspense>}
    </Page>
  )
}

function toggled(uids: readonly string[], uid: string): string[] {
  return uids.includes(uid) ? uids.filter((other) => other !== uid) : [...uids, uid]
}

function uidOf({ uid }: Device): string {
  return uid
}
