import { holds } from '@sdd/contract/core/roles.ts'
import { Link } from '@tanstack/react-router'
import { Smartphone } from 'lucide-react'
import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import { text } from '#console/core/text.ts'
import { dashboard as words } from './text.ts'
import { useRole } from '#console/core/use-role.ts'
import { boxAreas } from './box.tsx'
import { AttentionList } from './attention-list.tsx'
import { concernsOf } from './attention.ts'
import { ByDevice, FailureCauses, DailyLimits, TimesBox, WaitingReasons } from './breakdowns.tsx'
import { hasNoDashboard, useDashboard } from './dashboard.ts'
import { figuresOf } from './figures.ts'
import { HoursChart } from './hours-chart.tsx'
import { KEY_FIGURES_GRID, KeyFigures } from './key-figures.tsx'
import { buttonLook } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'

const GRID = [
  "grid grid-cols-6 gap-3 [grid-template-areas:'figures_figures_figures_figures_figures_figures'_'hours_hours_hours_hours_attention_attention'_'waiting_waiting_causes_causes_times_times'_'devices_devices_devices_devices_limits_limits']",
  "max-lg:grid-cols-2 max-lg:[grid-template-areas:'figures_figures'_'attention_attention'_'hours_hours'_'waiting_causes'_'times_limits'_'devices_devices']",
  "max-md:grid-cols-1 max-md:gap-2.5 max-md:[grid-template-areas:'figures'_'attention'_'hours'_'waiting'_'causes'_'times'_'devices'_'limits']",
].join(' ')

export function DashboardScreen() {
  const { data, error, isPending, refetch } = useDashboard()
  return (
    <Page title={words.title}>
      <div className="relative min-h-0 flex-1 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:pt-3">
        {hasNoDashboard(error) && !data && <p className="text-muted">{words.absent}</p>}
        {error && !hasNoDashboard(error) && (
          <Notice tone="bad" className="mb-3" retry={{ label: text.retry, run: () => void refetch() }}>
            {words.loadFailed} {data && words.kept}
          </Notice>
        )}
        {isPending && <Skeleton />}
        {data && (data.devices.total > 0 ? <Figures dashboard={data} /> : <FirstStep />)}
      </div>
    </Page>
  )
}

function Figures({ dashboard }: { dashboard: Dashboard }) {
  const figures = figuresOf(dashboard)
  return (
    <div className={GRID}>
      <KeyFigures dashboard={dashboard} figures={figures} />
      <HoursChart figures={figures} />
      <AttentionList concerns={concernsOf(dashboard, figures)} />
      <WaitingReasons dashboard={dashboard} />
      <FailureCauses dashboard={dashboard} figures={figures} />
      <TimesBox dashboard={dashboard} />
      <ByDevice dashboard={dashboard} figures={figures} />
      <DailyLimits dashboard={dashboard} />
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
    <div className={GRID} aria-busy="true">
      <div className={`panel min-h-[132px] ${KEY_FIGURES_GRID}`}>
        {Array.from({ length: 5 }, (_, n) => (
          <div key={n} />
        ))}
      </div>
      {Object.entries(boxAreas).map(([area, look]) => (
        <div key={area} className={`panel ${area === 'hours' ? 'min-h-[362px]' : 'min-h-[180px]'} ${look}`} />
      ))}
    </div>
  )
}
