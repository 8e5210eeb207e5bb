import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { CompanyField, useCompanies } from '#console/accounts/companies/companies.tsx'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { devicesQuery } from '#console/fleet/devices/devices.ts'
import { trialQuery, useRoutes } from './calls.ts'
import { GroupBox } from './group-box.tsx'
import { groupsOf } from './groups.ts'
import { useNames } from './names.ts'
import { RuleList } from './rule-list.tsx'
import { routes as words } from './text.ts'
import { trialOf, type Typed } from './trial.ts'
import { Button } from '#console/ui/button.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { dayTime } from '#console/ui/time.ts'
import { useDebounced } from '#console/ui/use-debounced.ts'
import { useDraft } from '#console/ui/use-draft.ts'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'

const Tester = lazyPart(() => import('./tester.tsx'))
const RuleDialog = lazyPart(() => import('./rule-dialog.tsx'))
const route = getRouteApi('/shell/routes')

const REST_MS = 250

/** The rules by which messages leave, and what they would do with a message. */
export function RoutesScreen() {
  const { rule: open, try: tried, company } = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMedia(WIDE_SCREEN)
  const manages = holds(useRole(), 'routes:write')
  const { data: list, isError, refetch } = useRoutes(company)
  const companies = useCompanies()
  const shownId = companies.length > 1 ? Number(company ?? companies[0]?.id) : undefined
  const all = useQuery(devicesQuery).data
  const devices = shownId === undefined ? all : all?.filter(({ company_id }) => company_id === shownId)
  const names = useNames(shownId)
  const number = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<Typed>({ from: '', class: 'transactional', source: '' })
  const [tryNumber, setTryNumber] = useDraft(
    tried ?? '',
    (next) => void navigate({ search: (now) => ({ ...now, try: next || undefined }), replace: true }),
    REST_MS,
  )
  const trial = useDebounced(trialOf({ ...typed, number: tryNumber }), REST_MS)
  const trying = useQuery(trialQuery(trial, company))
  const outcome = trial && trying.data
  const groups = devices && groupsOf(devices, list?.routes ?? [])
  const show = (rule: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, rule }), replace: rule === undefined })
  const add = () => show('new')
  const toTester = () => {
    number.current?.focus()
    number.current?.scrollIntoView({ block: 'center' })
  }
  useKeys({ n: manages ? add : undefined, p: toTester })

  const adding = manages && (
    <Button needsServer tone="primary" onClick={add} className="max-md:h-[46px] max-md:flex-1">
      <Plus className="size-4" aria-hidden="true" />
      {words.add}
    </Button>
  )
  return (
    <Page title={words.title} beside={wide && <span className="ml-auto">{adding}</span>}>
      <div className="relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-6 pb-4 max-md:px-3 max-md:pt-3 max-md:pb-3">
        <p className="text-sm text-muted">{words.about}</p>
        {companies.length > 1 && (
          <div className="max-w-96">
            <CompanyField
              value={company === undefined ? undefined : Number(company)}
              onChange={(id) =>
                void navigate({
                  search: (now) => ({ ...now, company: id?.toString(), rule: undefined }),
                  replace: true,
                })
              }
            />
          </div>
        )}
        {isError && (
          <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
            {words.loadFailed} {list && text.kept}
          </Notice>
        )}
        <div className="grid items-start gap-3.5 xl:grid-cols-[minmax(0,1fr)_408px]">
          <div className="flex min-w-0 flex-col gap-3.5">
            {list ? (
              <RuleList
                key={company}
                company={company}
                list={list}
                names={names}
                groups={groups}
                winner={outcome?.route}
                manages={manages}
                onEdit={(id) => show(String(id))}
              />
            ) : (
              !isError && <Skeleton kind="list" />
            )}
            {groups && <GroupBox groups={groups} />}
          </div>
          <Suspense fallback={<div className="panel min-h-[280px]" />}>
            <Tester
              field={number}
              number={tryNumber}
              typed={typed}
              names={names}
              outcome={outcome}
              failed={trying.error}
              rules={list?.routes ?? []}
              devices={devices ?? []}
              onNumber={setTryNumber}
              onType={setTyped}
            />
          </Suspense>
        </div>
        <p className="mt-auto flex justify-between gap-4 text-sm text-muted max-md:hidden">
          <span>{words.hints}</span>
          {list?.saved_at && <span>{words.savedBy(list.saved_by ?? '', dayTime(list.saved_at))}</span>}
        </p>
      </div>
      {!wide && (
        <div className="flex gap-2.5 border-t border-line bg-panel px-3 py-2.5">
          {adding}
          <Button className="h-[46px] flex-1" tone={manages ? 'plain' : 'primary'} onClick={toTester}>
            {words.tryNumber}
          </Button>
        </div>
      )}
      {open !== undefined && list && manages && (
        <Suspense>
          <RuleDialog
            key={open}
            company={company}
            open={open}
            list={list}
            names={names}
            onClose={() => show(undefined)}
          />
        </Suspense>
      )}
    </Page>
  )
}
