import type { CandidateReason, RouteOutcome, RouteRule } from '@sdd/contract/fleet/routes.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { groupName } from './names.ts'
import { routes as words } from './text.ts'
import { MarkIcon, type Mark } from '#console/ui/marks.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { dayTime } from '#console/ui/time.ts'

/** The rest are counted. */
const MOST_DEVICES = 8

/** In one box of a fixed height: by which device, or why by none. */
export function TrialAnswer({
  outcome,
  failed,
  rules,
  devices,
}: {
  outcome: RouteOutcome | undefined
  failed: string | undefined
  rules: readonly RouteRule[]
  devices: readonly Device[]
}) {
  const place = rules.findIndex(({ id }) => id === outcome?.route)
  const good = outcome?.chosen && !failed
  const look = failed || outcome?.refused ? 'bg-bad-bg text-bad' : good ? 'bg-ok-bg text-ok' : 'bg-off-bg'
  return (
    <output
      aria-label={words.answer}
      className={`flex h-[92px] flex-col justify-center gap-0.5 overflow-hidden rounded-sm px-3 ${look}`}
    >
      {failed ?? (outcome === undefined && words.typeNumber)}
      {outcome && !failed && (
        <>
          <span className="truncate text-sm">
            {[words.country(outcome.country), place === -1 ? words.noRule : words.ruleNamed(place + 1)].join(
              ' · ',
            )}
          </span>
          <b className="flex items-center gap-2 truncate text-lg">
            <MarkIcon mark={outcome.refused ? 'struck' : outcome.chosen ? 'dot' : 'clock'} />
            {outcome.chosen ? simsOf(outcome.chosen, devices) : outcome.refused ? words.refused : words.waits}
          </b>
          <span className="truncate text-sm">{explain(outcome)}</span>
        </>
      )}
    </output>
  )
}

function simsOf(uid: string, devices: readonly Device[]): string {
  const carrier = devices.find((device) => device.uid === uid)?.carrier
  return carrier ? `${uid} · ${carrier}` : uid
}

function explain({ chosen, refused, held_until, candidates }: RouteOutcome): string {
  if (refused) return words.isRefused
  if (held_until) return words.leavesAt(dayTime(held_until))
  if (chosen) return words.leavesNow
  const first = candidates.find(({ why }) => why !== 'not_in_route')?.why
  return first ? words.obstacles[first] : words.obstacles.not_in_route
}

/** Each rule, and why it does not decide. */
export function TrialRules({
  outcome,
  rules,
  devices,
}: {
  outcome: RouteOutcome
  rules: readonly RouteRule[]
  devices: readonly Device[]
}) {
  if (outcome.rules.length === 0) return null
  const tags = devices.find(({ uid }) => uid === outcome.chosen)?.tags
  const wins = (via: string | null) =>
    outcome.chosen && via !== null && !tags?.includes(via) ? words.passes(via) : words.wins(groupName(via))
  return (
    <>
      <h3 className="pt-3 pb-1 text-sm font-semibold text-muted">{words.rulesInOrder}</h3>
      <ol>
        {outcome.rules.map(({ id, why }, place) => (
          <li key={id} className="flex items-baseline gap-2 py-0.5 text-sm">
            <span className={why === null ? 'text-ok' : 'text-off'}>
              <MarkIcon mark={why === null ? 'check' : 'dash'} />
            </span>
            <b className="w-5 tabular-nums">{place + 1}</b>
            <span className={why === null ? '' : 'text-muted'}>
              {why === null ? wins(rules.find((rule) => rule.id === id)?.via ?? null) : words.misses[why]}
            </span>
          </li>
        ))}
      </ol>
    </>
  )
}

const marks: Partial<Record<CandidateReason, Mark>> = {
  not_in_route: 'struck',
  fallback_later: 'clock',
  disabled: 'dash',
  disconnected: 'square',
  pacing: 'arc',
  window_full: 'arc',
}

/** The first devices, in the order in which they would be taken. Those that are not in the group are counted. */
export function TrialDevices({ outcome, devices }: { outcome: RouteOutcome; devices: readonly Device[] }) {
  const { candidates } = outcome
  const shown = candidates.slice(0, MOST_DEVICES)
  const names = new Map(devices.map(({ uid, name }) => [uid, name]))
  return (
    <>
      <h3 className="pt-3 pb-1 text-sm font-semibold text-muted">{words.devices}</h3>
      <ol className="rounded-sm border border-line">
        {shown.map(({ uid, fit, why }, place) => (
          <li
            key={uid}
            className={`flex items-center gap-2 border-t border-line px-2.5 py-1.5 text-sm first:border-t-0 ${
              fit && place === 0 ? 'bg-ok-bg font-semibold text-ok' : ''
            }`}
          >
            <MarkIcon mark={why === null ? 'dot' : (marks[why] ?? 'clock')} />
            <b className="mono min-w-0 truncate" title={names.get(uid) ?? undefined}>
              {uid}
            </b>
            <span className="ml-auto shrink-0">
              {why === null ? (place === 0 ? words.fitsFirst : words.fits) : words.obstacles[why]}
            </span>
          </li>
        ))}
        {candidates.length > MOST_DEVICES && (
          <li className="border-t border-line px-2.5 py-1.5 text-sm text-muted">
            {words.more(formatCount(candidates.length - MOST_DEVICES))}
          </li>
        )}
      </ol>
    </>
  )
}
