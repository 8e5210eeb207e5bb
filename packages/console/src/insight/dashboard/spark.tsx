import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'

const HEIGHT = 24
const PITCH = 5

/** A small bar chart of one figure per hour, the last bar in the strongest colour. */
export function HourBars({ values, fill, label }: { values: number[]; fill: string; label: string }) {
  const most = Math.max(1, ...values)
  const last = values.length - 1
  return (
    <svg
      {...pictureOf(label)}
      viewBox={`0 0 ${values.length * PITCH - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`block h-6 w-full max-md:h-[18px] ${fill}`}
    >
      {values.map((value, n) => {
        const height = Math.max(1, (value / most) * HEIGHT)
        return (
          <rect
            key={n}
            x={n * PITCH}
            y={HEIGHT - height}
            width={PITCH - 1}
            height={height}
            opacity={n === last ? 1 : 0.5}
          />
        )
      })}
    </svg>
  )
}

type Samples = Dashboard['connected']

/** The connected devices over the last day, as a share of all. The missing share is red, at the top. */
export function ConnectedChart({ samples, label }: { samples: Samples; label: string }) {
  const from = Date.parse(samples[0]?.at ?? '')
  const span = Math.max(1, Date.parse(samples.at(-1)?.at ?? '') - from)
  const most = Math.max(1, ...samples.map(({ total }) => total))
  const area = (value: (sample: Samples[number]) => number) =>
    `M0 ${HEIGHT}${samples.map((sample) => `L${x(sample)} ${y(value(sample))}`).join('')}L100 ${HEIGHT}z`
  const x = ({ at }: Samples[number]) => round((100 * (Date.parse(at) - from)) / span)
  const y = (value: number) => round(HEIGHT * (1 - value / most))
  return (
    <svg
      {...pictureOf(label)}
      viewBox={`0 0 100 ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-6 w-full max-md:h-[18px]"
    >
      <path d={area(({ total }) => total)} className="fill-bad-solid" opacity={0.55} />
      <path d={area(({ connected }) => connected)} className="fill-panel" />
      <path d={area(({ connected }) => connected)} className="fill-ok-solid" opacity={0.55} />
    </svg>
  )
}

/** An inline image with this text alternative. */
function pictureOf(label: string) {
  return { role: 'img', 'aria-label': label } as const
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
