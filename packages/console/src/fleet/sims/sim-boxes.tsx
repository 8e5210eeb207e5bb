import { holds } from '@sdd/contract/core/roles.ts'
import type { Ability } from '@sdd/contract/fleet/orders.ts'
import type { DeviceSim } from '@sdd/contract/fleet/sims.ts'
import { Suspense, useState, type ReactNode } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useRole } from '#console/core/use-role.ts'
import { Balance } from './balance.tsx'
import { daysUntil, endsSoon, isKnown, isNear, type KnownSim } from './sims.ts'
import { formats } from '#console/core/formats.ts'
import { sims as words } from './text.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { CopyButton } from '#console/ui/copy-button.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { dayTime } from '#console/ui/time.ts'

const SimDialog = lazyPart(() => import('./sim-dialog.tsx'))

/** The SIMs of a device: their numbers, plans and balances. */
export default function SimBoxes({
  device,
  abilities,
  sims,
  low,
  onChanged,
}: {
  device: Device
  abilities: readonly Ability[]
  sims: readonly DeviceSim[]
  /** The ICCIDs whose balance has an open alert. */
  low: readonly string[]
  onChanged: () => Promise<unknown>
}) {
  const [edited, setEdited] = useState<KnownSim>()
  const manages = holds(useRole(), 'devices:manage')
  if (sims.length === 0) return null
  return (
    <div className="grid shrink-0 grid-cols-2 items-start gap-3 max-lg:grid-cols-1">
      {sims.map((sim, n) => (
        <Box
          key={sim.iccid ?? n}
          title={words.title(String(sim.slot ?? n + 1), sim.operator)}
          beside={
            manages &&
            isKnown(sim) && (
              <Button size="sm" needsServer onClick={() => setEdited(sim)}>
                {words.edit}
              </Button>
            )
          }
        >
          <dl className="grid gap-1">
            <Fact label={words.number}>
              <Copied what={words.number} value={sim.number} otherwise={words.unknown} />
            </Fact>
            <Fact label={words.iccid}>
              <Copied what={words.iccid} value={sim.iccid} otherwise={words.noIccid} />
            </Fact>
            {isKnown(sim) && <Plan sim={sim} />}
          </dl>
          {isKnown(sim) && (
            <Balance
              sim={sim}
              low={low.includes(sim.iccid)}
              device={device}
              abilities={abilities}
              manages={manages}
              onChanged={onChanged}
            />
          )}
          {sim.note && (
            <p className="mt-2 border-t border-line pt-2 text-sm wrap-anywhere whitespace-pre-wrap">
              {sim.note}
            </p>
          )}
        </Box>
      ))}
      {edited && (
        <Suspense>
          <SimDialog sim={edited} onSaved={onChanged} onClose={() => setEdited(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

function Plan({ sim: { plan, used } }: { sim: KnownSim }) {
  if (plan === null) return <Fact label={words.parts}>{formatCount(used.parts)}</Fact>
  const days = plan.valid_until === null ? undefined : daysUntil(plan.valid_until)
  return (
    <>
      <Used label={words.planParts} used={used.parts} most={plan.parts_per_month} />
      {plan.recipients_per_month !== null && (
        <Used label={words.recipients} used={used.recipients} most={plan.recipients_per_month} />
      )}
      <Fact label={words.renews}>{dayTime(used.until)}</Fact>
      {days !== undefined && (
        <Fact label={words.validUntil}>
          <span className={endsSoon(days) ? 'font-semibold text-warn' : ''}>
            {formats.dayOfYear(new Date(`${plan.valid_until}T00:00`))}
            {endsSoon(days) && `, ${words.daysLeft(days)}`}
          </span>
        </Fact>
      )}
    </>
  )
}

function Used({ label, used, most }: { label: string; used: number; most: number | null }) {
  const near = most !== null && isNear(used, most)
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-3">
      <dt className="text-muted">{label}</dt>
      <dd className={`text-right font-semibold tabular-nums ${near ? 'text-warn' : ''}`}>
        {words.used(formatCount(used), most === null ? undefined : formatCount(most))}
      </dd>
      {most !== null && (
        <dd className="w-full">
          <progress
            aria-label={label}
            className={`my-1 block w-full ${near ? 'text-warn' : 'text-muted'}`}
            value={Math.min(used, Math.max(1, most))}
            max={Math.max(1, most)}
          />
        </dd>
      )}
    </div>
  )
}

function Copied({ what, value, otherwise }: { what: string; value: string | null; otherwise: string }) {
  if (value === null) return <span className="text-muted">{otherwise}</span>
  return (
    <span className="inline-flex min-h-7 items-center gap-1 max-md:min-h-11">
      <span className="mono">{value}</span>
      <CopyButton what={what} value={value} />
    </span>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="text-muted">{label}</dt>
      <dd className="text-right wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}
