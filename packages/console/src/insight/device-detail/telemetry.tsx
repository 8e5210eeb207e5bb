import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { text } from '#console/core/text.ts'
import { detailQuery, historyQuery, REFRESH_MS } from './device-detail.ts'
import { ReadingChart } from './reading-chart.tsx'
import { absencesOf, readings, type Reading } from './readings.ts'
import { deviceDetail as words } from './text.ts'
import { historySpans, type HistorySpan } from '#console/fleet/devices/devices.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Box } from '#console/ui/box.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Segmented } from '#console/ui/segmented.tsx'

/** The charts of signal, battery and temperature. A reading that the device never sent has none. */
export default function DeviceTelemetry({
  uid,
  status,
  span,
  onSpan,
}: {
  uid: string
  status: string
  span: HistorySpan
  onSpan: (span: HistorySpan) => void
}) {
  const { data: detail } = useQuery({ ...detailQuery(uid), refetchInterval: REFRESH_MS })
  const { data, isError, refetch } = useQuery({
    ...historyQuery(uid, status, span),
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  })
  const [cursor, setCursor] = useState<number>()
  const latest = detail?.telemetry
  if (!latest) return null
  const shown = (Object.keys(readings) as Reading[]).filter((reading) => latest[reading] !== null)
  const absences = data ? absencesOf(data.presence, data.period) : []
  return (
    <Box
      title={words.lastSpan[span]}
      beside={
        <Segmented
          label={words.span}
          choices={historySpans}
          labels={words.spans}
          pressed={span}
          onPress={onSpan}
          className="text-sm"
        />
      }
    >
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          {words.historyFailed} {data && text.kept}
        </Notice>
      )}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(18rem,1fr))] gap-x-5 gap-y-3">
        {shown.map((reading) => (
          <ReadingChart
            key={reading}
            reading={reading}
            history={data}
            latest={latest[reading]!}
            note={reading === 'battery' && latest.charging ? words.charging : undefined}
            {...{ absences, cursor }}
            onCursor={setCursor}
          />
        ))}
      </div>
      <p className="mt-1 flex flex-wrap gap-x-3 text-sm text-muted">
        {absences.length > 0 && (
          <span className="inline-flex items-center gap-1.5">
            <i className="size-[9px] border border-bad-solid bg-bad-bg" aria-hidden="true" />
            {words.absence}
          </span>
        )}
        {latest.disk_free_mb !== null && <span>{words.diskFree(latest.disk_free_mb)}</span>}
        <span>
          {words.said} <Ago at={latest.at} />
        </span>
      </p>
    </Box>
  )
}
