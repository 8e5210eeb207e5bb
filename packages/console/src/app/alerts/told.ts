import type { Alert, AlertTold } from '@sdd/contract/outward/alerts.ts'

/** The channels, by the outcome of their latest message about an alert's opening. */
export type ToldChannels = { told: number[]; lost: AlertTold[]; waiting: number[] }

export function toldChannels(alerts: readonly Pick<Alert, 'told'>[]): ToldChannels {
  const latest = new Map<number, AlertTold>()
  for (const one of alerts.flatMap(({ told }) => told))
    if (one.event !== 'resolved') latest.set(one.channel, one)
  const all = [...latest.values()]
  const ids = (delivered: boolean | null) =>
    all.filter((one) => one.delivered === delivered).map(({ channel }) => channel)
  return { told: ids(true), lost: all.filter(({ delivered }) => delivered === false), waiting: ids(null) }
}
