import { memo } from 'react'
import { useLanguage } from '#console/core/language.ts'
import { devices as words } from './text.ts'
import type { Device } from './devices.ts'
import type { FleetFilter } from './search.ts'
import { fleetBars, type FleetBar, type CarrierGroup } from './fleet.ts'
import { formatCount } from '#console/ui/numbers.ts'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'

const HEIGHT = 26
const PITCH = 4
/** The largest width of a bar, in px. */
const MOST_PX = 16
/** The whole fleet in one row of bars, where a carrier outage stands out. */
export const FleetStrip = memo(function FleetStrip({
  devices,
  shown,
  carrier,
  onShow,
  onCarrier,
}: {
  devices: Device[]
  shown: FleetFilter
  /** The operator whose devices are shown; empty for those without one. */
  carrier: string | undefined
  onShow: (filter: FleetFilter) => void
  onCarrier: (carrier: string | undefined) => void
}) {
  useLanguage()
  const room = useMedia(WIDE_SCREEN) ? 250 : 70
  const { perBar, groups } = fleetBars(devices, room, { none: words.noCarrier, others: words.otherCarriers })
  return (
    <section aria-label={words.fleet} className="panel px-3.5 pt-3 pb-2.5">
      <header className="mb-2 flex flex-wrap items-baseline gap-x-3 text-sm text-muted">
        <h2 className="text-md font-bold text-ink">{words.fleet}</h2>
        <span>
          {words.fleetCount(formatCount(devices.length))}
          <span className="max-md:hidden">
            {' · '}
            {perBar === 1 ? words.fleetOne : words.fleetMany(perBar)}
          </span>
        </span>
        <Legend shown={shown} onShow={onShow} rests={groups.some(({ rests }) => rests)} />
      </header>
      <div className="flex items-end gap-5 max-md:gap-4">
        {groups.map((group) => (
          <Carrier key={group.label} group={group} chosen={carrier} onCarrier={onCarrier} />
        ))}
      </div>
    </section>
  )
})

function Carrier({
  group,
  chosen,
  onCarrier,
}: {
  group: CarrierGroup
  chosen: string | undefined
  onCarrier: (carrier: string | undefined) => void
}) {
  const { label, carrier, connected, size } = group
  const paths = drawBars(group.bars)
  const pressed = carrier !== undefined && carrier === chosen
  return (
    <button
      type="button"
      // Several operators that share a group are no filter.
      disabled={carrier === undefined}
      aria-pressed={pressed}
      aria-label={words.carrierFilter(label, String(connected), String(size))}
      onClick={() => onCarrier(pressed ? undefined : carrier)}
      className="min-w-12 rounded-sm p-1 text-left enabled:hover:bg-sunken aria-pressed:bg-off-bg aria-pressed:outline-1 aria-pressed:outline-line-strong md:min-w-fit"
      style={{ flex: `0 1 ${group.bars.length * MOST_PX}px` }}
    >
      <svg
        viewBox={`0 0 ${group.bars.length * PITCH - 1} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-[26px] w-0 min-w-full"
        aria-hidden="true"
      >
        {paths.connected.map((path, step) => (
          <path key={step} d={path} className="fill-ok-solid" opacity={0.55 + step * 0.15} />
        ))}
        <path d={paths.disconnected} className="fill-bad-solid" />
        <path d={paths.resting} className="fill-off-solid" />
      </svg>
      <span className="mt-1 block truncate text-xs text-muted">
        {label} <b className="font-semibold text-ink max-md:hidden">{`${connected}/${size}`}</b>
      </span>
    </button>
  )
}

/**
 * One path per state and strength, for any number of devices. Connected bars grow from the top, others from the bottom.
 */
function drawBars(bars: readonly FleetBar[]) {
  const connected = ['', '', '', '']
  let disconnected = ''
  let resting = ''
  bars.forEach((bar, n) => {
    const x = n * PITCH
    const rests = bar.disabled + bar.maintenance
    const size = bar.connected + bar.disconnected + rests
    const foot = bar.disconnected > 0 ? footHeight(bar.disconnected, size) : rests === size ? 3 : 0
    if (bar.connected > 0) {
      const height = HEIGHT - (foot > 0 ? foot + 2 : 0)
      const step = Math.min(3, Math.floor(bar.strength * 4))
      connected[step] += `M${x} 0h3v${Math.max(2, height)}h-3z`
    }
    const footBar = `M${x} ${HEIGHT - foot}h3v${foot}h-3z`
    if (bar.disconnected > 0) disconnected += footBar
    else if (foot > 0) resting += footBar
    // Two dashes, as in the mark of a pause.
    if (foot > 0 && bar.maintenance > 0) resting += `M${x} ${HEIGHT - 9}h3v3h-3z`
  })
  return { connected, disconnected, resting }
}

/** A red bar is at most half as high as a green one, so that colour is not the only difference. */
function footHeight(disconnected: number, size: number): number {
  return Math.max(2, (HEIGHT * disconnected) / size / 2)
}

const legend = {
  connected: 'h-3.5 bg-ok-solid',
  disconnected: 'h-2 bg-bad-solid',
  disabled: 'h-[3px] bg-off-solid',
  maintenance: 'h-[9px] border-y-[3px] border-off-solid',
} as const

/** The meaning of the bars. Each part filters the table. */
function Legend({
  shown,
  rests,
  onShow,
}: {
  shown: FleetFilter
  /** A device is in maintenance. */
  rests: boolean
  onShow: (filter: FleetFilter) => void
}) {
  const states = (Object.keys(legend) as (keyof typeof legend)[]).filter(
    (state) => state !== 'maintenance' || rests,
  )
  return (
    <span className="ml-auto flex gap-1 max-lg:hidden">
      {states.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={shown === state}
          aria-label={words.legendFilter(words.legend[state])}
          onClick={() => onShow(shown === state ? 'all' : state)}
          className="flex min-h-6 items-center gap-1.5 rounded-sm px-1.5 hover:bg-sunken aria-pressed:bg-off-bg"
        >
          <i className={`w-1 ${legend[state]}`} aria-hidden="true" />
          {words.legend[state]}
        </button>
      ))}
    </span>
  )
}
