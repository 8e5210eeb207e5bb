import { useQuery } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import type { DeviceCounts } from '@sdd/contract/insight/device-detail.ts'
import { detailQuery } from './device-detail.ts'
import { deviceDetail as words } from './text.ts'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount, formatPercent } from '#console/ui/numbers.ts'

/** What a device did today and in seven days. */
export function DeviceCountsTable({ uid }: { uid: string }) {
  const { data, isError, refetch } = useQuery(detailQuery(uid))
  if (isError && !data) {
    return (
      <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
        {words.failedToLoad}
      </Notice>
    )
  }
  if (!data) return <div className="h-32" aria-busy="true" />
  const spans = [data.today, data.week]
  return (
    <table className="w-full tabular-nums [&_td]:text-right [&_th]:font-normal [&_th]:text-muted">
      <thead>
        <tr className="[&_th]:pb-1 [&_th]:text-right [&_th]:text-sm">
          <th scope="col">
            <span className="sr-only">{words.messages}</span>
          </th>
          <th scope="col">{words.today}</th>
          <th scope="col">{words.week}</th>
        </tr>
      </thead>
      <tbody>
        <Row label={words.sent} spans={spans} count={({ sent }) => sent} />
        <Row label={words.delivered} spans={spans} count={(of) => of.delivered} of={({ sent }) => sent} />
        <Row
          label={words.failed}
          spans={spans}
          count={({ failed }) => failed}
          of={({ sent, failed }) => sent + failed}
          bad
        />
        <Row label={words.uncertain} spans={spans} count={({ uncertain }) => uncertain} bad />
        <Row label={words.received} spans={spans} count={({ received }) => received} />
      </tbody>
    </table>
  )
}

function Row({
  label,
  spans,
  count,
  of,
  bad = false,
}: {
  label: string
  spans: readonly DeviceCounts[]
  count: (counts: DeviceCounts) => number
  /** What its share is of. */
  of?: (counts: DeviceCounts) => number
  bad?: boolean
}) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 text-left">
        {label}
      </th>
      {spans.map((span, n) => (
        <td key={n} className={bad && count(span) > 0 ? 'text-bad' : undefined}>
          <span>{formatCount(count(span))}</span>
          <span className="ml-2 inline-block w-14 text-sm text-muted">
            {of && of(span) > 0 && formatPercent(count(span) / of(span))}
          </span>
        </td>
      ))}
    </tr>
  )
}
