import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import { dashboard as words } from './text.ts'
import { CoveringLink, FIGURES_TABLE } from './box.tsx'
import { dashboardLinks } from './links.ts'
import { Box } from '#console/ui/box.tsx'
import { formatCount, formatPercent } from '#console/ui/numbers.ts'

type Carrier = Dashboard['carriers'][number]

/** The connected share of each operator's devices in every hour of the last day. */
export function Carriers({ dashboard: { carriers } }: { dashboard: Dashboard }) {
  return (
    <Box title={words.carriers} beside={words.last.day}>
      <div className="overflow-x-auto">
        <table className={`w-full ${FIGURES_TABLE}`}>
          <thead>
            <tr>
              <th scope="col">{words.carrier}</th>
              <th scope="col" className="w-1/2">
                {words.available}
              </th>
              <th scope="col">{words.connected}</th>
            </tr>
          </thead>
          <tbody>
            {carriers.map((carrier) => (
              <CarrierRow key={carrier.carrier ?? ''} carrier={carrier} />
            ))}
          </tbody>
        </table>
      </div>
    </Box>
  )
}

function CarrierRow({ carrier: { carrier, connected, total, hours } }: { carrier: Carrier }) {
  const known = hours.filter((share) => share !== null)
  const least = known.length === 0 ? undefined : Math.min(...known)
  return (
    <tr className="relative">
      <th scope="row">
        {carrier === null ? (
          words.noCarrier
        ) : (
          <CoveringLink link={dashboardLinks.devices({ carrier })}>{carrier}</CoveringLink>
        )}
      </th>
      <td>
        {least === undefined ? (
          <span className="text-muted">{words.notMeasured}</span>
        ) : (
          <>
            <AvailabilityBars hours={hours} />
            <span className="sr-only">{words.availableAtLeast(formatPercent(least))}</span>
          </>
        )}
      </td>
      <td className={connected < total ? 'font-semibold' : ''}>
        {words.connectedOf(formatCount(connected), formatCount(total))}
      </td>
    </tr>
  )
}

const PITCH = 4
const HEIGHT = 20

/** A bar per hour: green as high as the connected share, and red above it. */
function AvailabilityBars({ hours }: { hours: Carrier['hours'] }) {
  return (
    <svg
      viewBox={`0 0 ${hours.length * PITCH - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="block h-5 w-full min-w-24"
    >
      {hours.map((share, n) => {
        if (share === null) return null
        const up = share * HEIGHT
        return (
          <g key={n}>
            <rect x={n * PITCH} y={0} width={PITCH - 1} height={HEIGHT - up} className="fill-bad-solid" />
            <rect
              x={n * PITCH}
              y={HEIGHT - up}
              width={PITCH - 1}
              height={up}
              className="fill-ok-solid"
              opacity={0.55}
            />
          </g>
        )
      })}
    </svg>
  )
}
