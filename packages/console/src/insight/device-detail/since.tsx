import { useQuery } from '@tanstack/react-query'
import { historyQuery } from './device-detail.ts'
import { deviceDetail as words } from './text.ts'
import { Ago } from '#console/ui/ago.tsx'
import { dayTime } from '#console/ui/time.ts'

/** Since when the device has its status. */
export function StatusSince({ uid, status }: { uid: string; status: string }) {
  const { data } = useQuery(historyQuery(uid, status, '30d'))
  const last = data?.presence.at(-1)
  // An older change is not known.
  if (last?.state !== status || Date.parse(last.from) <= data!.period.from) return null
  return (
    <span className="text-sm text-muted">
      {words.since(dayTime(last.from))}, <Ago at={last.from} />
    </span>
  )
}
