import type { Alert } from '@sdd/contract/outward/alerts.ts'
import { useQuery } from '@tanstack/react-query'
import { CauseLink, CausesLink } from './cause.tsx'
import { factsOf, momentOf, nameOf, sinceOf, titleOf } from './facts.ts'
import type { AlertGroup } from './groups.ts'
import { openAlerts as words } from './text.ts'
import { TellingLines } from './telling-lines.tsx'
import { useCompanies } from '#console/accounts/companies/companies.tsx'
import { detailQuery } from '#console/insight/device-detail/device-detail.ts'
import { simDevicesQuery } from '#console/outward/alerts/calls.ts'
import { Ago, useNow } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

const MOST_NAMED = 5

/** One alert, or several that opened together: the problem, its start, the messages that wait, and the channels. */
export function AlertItem({
  group: { alerts },
  manages,
  pending,
  asks,
  onNotice,
}: {
  group: AlertGroup
  manages: boolean
  pending: boolean
  /** Whether to count the messages that wait for its device. */
  asks: boolean
  onNotice: () => void
}) {
  const now = useNow()
  const companies = useCompanies()
  const [first] = alerts as [Alert, ...Alert[]]
  const several = alerts.length > 1
  const title = titleOf(alerts)
  const open = alerts.filter(({ resolved_at }) => resolved_at === null)
  const unnoticed = open.filter(({ acknowledged_at }) => acknowledged_at === null)
  const noticed = open.length > 0 && unnoticed.length === 0 ? open[0] : undefined
  const over = open.length === 0 ? alerts.at(-1)!.resolved_at : null
  const away = first.rule.condition === 'device_away'
  const company = companies.length > 1 && companies.find(({ id }) => id === first.company_id)
  const device = useDeviceOf(first)
  const facts = several ? undefined : factsOf(first)
  const look = 'font-semibold text-ink [overflow-wrap:anywhere]'

  return (
    <li
      tabIndex={-1}
      className="flex items-center gap-3 px-4 py-2.5 not-first:border-t not-first:border-line"
    >
      <span
        className={`mt-1 shrink-0 self-start ${over !== null ? 'text-ok' : away ? 'text-bad' : 'text-warn'}`}
      >
        <MarkIcon mark={over !== null ? 'check' : away ? 'square' : 'triangle'} />
      </span>
      <div className="min-w-0 flex-1">
        {several ? (
          <CausesLink alert={first} className={look}>
            {title}
          </CausesLink>
        ) : (
          <CauseLink alert={first} device={device} className={look}>
            {title}
          </CauseLink>
        )}
        {several && (
          <p className="text-sm [overflow-wrap:anywhere]">
            {alerts.slice(0, MOST_NAMED).map((alert, n) => (
              <span key={alert.id}>
                {n > 0 && ', '}
                {nameOf(alert.subject)}
              </span>
            ))}
            {alerts.length > MOST_NAMED && ` ${words.others(alerts.length - MOST_NAMED)}`}
          </p>
        )}
        <p className="text-sm text-muted [overflow-wrap:anywhere]">
          {sinceOf(first.since, now)}, <Ago at={first.since} />
          {facts !== undefined && ` · ${facts}`}
          {asks && !several && first.subject.kind === 'device' && <Waiting uid={first.subject.id} />}
          {company && ` · ${company.name}`}
        </p>
        <TellingLines alerts={alerts} manages={manages} now={now} />
        {over !== null && <p className="text-sm font-medium text-ok">{words.over(momentOf(over, now))}</p>}
        {noticed?.acknowledged_by && noticed.acknowledged_at && (
          <p className="flex items-center gap-1.5 text-sm font-medium text-ok">
            <MarkIcon mark="check" />
            {words.acknowledgedBy(noticed.acknowledged_by.name, momentOf(noticed.acknowledged_at, now))}
          </p>
        )}
      </div>
      {unnoticed.length > 0 && (
        <Button
          needsServer
          disabled={pending}
          aria-busy={pending}
          aria-label={words.acknowledgeNamed(title)}
          onClick={onNotice}
        >
          {words.acknowledge}
        </Button>
      )}
    </li>
  )
}

/** The device that has the SIM of an alert. */
function useDeviceOf({ subject: { kind, id } }: Alert): string | undefined {
  const { data } = useQuery({ ...simDevicesQuery, enabled: kind === 'sim' })
  return data?.[id]
}

/** As many as the answer about a device has at most. */
const MOST_HELD = 100

function Waiting({ uid }: { uid: string }) {
  const { data } = useQuery(detailQuery(uid))
  if (!data) return null
  const { length } = data.holds
  return ` · ${words.waiting(length, length >= MOST_HELD)}`
}
