import type { Alert } from '@sdd/contract/outward/alerts.ts'
import { useQuery } from '@tanstack/react-query'
import { momentOf } from './facts.ts'
import { openAlerts as words } from './text.ts'
import { toldChannels } from './told.ts'
import { channelsQuery } from '#console/outward/alerts/calls.ts'
import { channelFaults } from '#console/outward/alerts/channel-text.ts'

/** The channels that were told of an alert, and whether that worked. Only admins see them. */
export function TellingLines({
  alerts,
  manages,
  now,
}: {
  alerts: readonly Alert[]
  manages: boolean
  now: number
}) {
  const { data: channels } = useQuery({ ...channelsQuery, enabled: manages })
  const { told, lost, waiting } = toldChannels(alerts)
  const nameOf = (id: number) => channels?.find((one) => one.id === id)?.name ?? words.goneChannel
  const namesOf = (ids: readonly number[]) => ids.map(nameOf).join(', ')
  const said = alerts.find(({ said_at }) => said_at !== null)?.said_at
  if (!manages) return said ? <p className="text-sm text-muted">{words.toldAt(momentOf(said, now))}</p> : null
  if (!channels) return null
  return (
    <div className="text-sm [overflow-wrap:anywhere]">
      {told.length > 0 && <p className="text-muted">{words.told(namesOf(told))}</p>}
      {waiting.length > 0 && <p className="text-muted">{words.toTell(namesOf(waiting))}</p>}
      {lost.map((one) => (
        <p key={one.channel} className="text-bad">
          {words.lost(nameOf(one.channel), channelFaults.why(one) ?? '')}
        </p>
      ))}
      {told.length + waiting.length + lost.length === 0 && <p className="text-muted">{words.nobody}</p>}
    </div>
  )
}
