import { holds } from '@sdd/contract/core/roles.ts'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Smartphone } from 'lucide-react'
import { DASHBOARD_HOURS, type Dashboard } from '@sdd/contract/insight/dashboard.ts'
import { text } from '#console/core/text.ts'
import { dashboard as words } from './text.ts'
import { useRole } from '#console/core/use-role.ts'
import { AttentionList } from './attention-list.tsx'
import { concernsOf } from './attention.ts'
import { CompanyChoice } from './company-choice.tsx'
import { Carriers } from './carriers.tsx'
import { ByDevice, FailureCauses, DailyLimits, TimesBox, WaitingReasons } from './breakdowns.tsx'
import { hasNoDashboard, useDashboard } from './dashboard.ts'
import { figuresOf } from './figures.ts'
import { HoursChart, type ChartRange } from './hours-chart.tsx'
import { KEY_FIGURES_GRID, KeyFigures } from './key-figures.tsx'
import type { DashboardSearch } from './search.ts'
import { buttonLook } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'

/** Boxes one below the other, each as high as its content. */
const STACK = 'flex min-w-0 flex-col gap-3 max-md:gap-2.5'
/** A wide and a narrow stack; one below the other on a narrow screen. */
const COLUMNS = `grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)] items-start gap-3 max-lg:grid-cols-1 max-md:gap-2.5`

const screenRoute = getRouteApi('/shell/dashboard')

export function DashboardScreen() {
  const { range, company } = screenRoute.useSearch()
  const navigate = screenRoute.useNavigate()
  const change = (next: Partial<DashboardSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const hours = range === 'week' ? String(DASHBOARD_HOURS) : undefined
  const { data, error, isPending, refetch } = useDashboard({ hours, company })
  const wide = useMedia(WIDE_SCREEN)
  const companyChoice = <CompanyChoice chosen={company} onChoose={(next) => change({ company: next })} />
  return (
    <Page title={words.title} beside={wide && companyChoice}>
      <div className="relative min-h-0 flex-1 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:pt-3">
        {!wide && <div className="mb-3 grid empty:hidden">{companyChoice}</div>}
        {hasNoDashboard(error) && !data && <p className="text-muted">{words.absent}</p>}
        {error && !hasNoDashboard(error) && (
          <Notice tone="bad" className="mb-3" retry={{ label: text.retry, run: () => void refetch() }}>
            {words.loadFailed} {data && words.kept}
          </Notice>
        )}
        {isPending && <Skeleton />}
        {company !== undefined && <p className="mb-3 text-sm text-muted">{words.listsOfAll}</p>}
        {data &&
          (data.devices.total > 0 ? (
            <Figures
              dashboard={data}
              range={range ?? 'day'}
              onRange={(next) => change({ range: next === 'week' ? next : undefined })}
            />
          ) : (
            <FirstStep />
          ))}
      </div>
    </Page>
  )
}

function Figures({
  dashboard,
  range,
  onRange,
}: {
  dashboard: Dashboard
  range: ChartRange
  onRange: (range: ChartRange) => void
}) {
  const figures = figuresOf(dashboard)
  return (
    <div className={STACK}>
      <AttentionList concerns={concernsOf(dashboard, figures)} />
      <KeyFigures dashboard={dashboard} figures={figures} />
      <div className={COLUMNS}>
        <div className={STACK}>
          <HoursChart figures={figures} range={range} onRange={onRange} />
          <Carriers dashboard={dashboard} />
          <ByDevice dashboard={dashboard} figures={figures} />
        </div>
        <div className={STACK}>
          <WaitingReasons dashboard={dashboard} />
          <FailureCauses dashboard={dashboard} figures={figures} />
          <TimesBox dashboard={dashboard} />
          <DailyLimits dashboard={dashboard} />
        </div>
      </div>
    </div>
  )
}

/** The first step of a new installation. */
function FirstStep() {
  const manages = holds(useRole(), 'devices:manage')
  return (
    <section className="panel mx-auto mt-6 flex max-w-[480px] flex-col items-center gap-2 p-8 text-center">
      <Smartphone className="size-8 text-muted" strokeWidth={1.5} aria-hidden="true" />
      <h2 className="text-lg font-bold">{words.noDevices}</h2>
      <p className="text-muted">{words.firstStep}</p>
      <Link
        to="/devices"
        search={manages ? { link: 'new' } : {}}
        className={`mt-3 ${buttonLook({ tone: 'primary', size: 'lg' })}`}
      >
        {manages ? words.toFirstDevice : words.toDevices}
      </Link>
    </section>
  )
}

/** Placeholder panels, sized like the loaded ones. */
function Skeleton() {
  return (
    <div className={STACK} aria-busy="true">
      <div className={`panel min-h-[132px] ${KEY_FIGURES_GRID}`}>
        {Array.from({ length: 5 }, (_, n) => (
          <div key={n} />
        ))}
      </div>
      <div className={COLUMNS}>
        <div className="panel min-h-[376px]" />
        <div className="panel min-h-[180px]" />
      </div>
    </div>
  )
}
