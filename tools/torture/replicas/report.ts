import { booksOf } from '../report.ts'
import { type Kind, kinds } from './faults.ts'
import type { Ordeal } from './ordeal.ts'
import { isOk } from './pulse.ts'
import type { SeveralOutcome } from './several.ts'

/** A run's actions and findings with several servers, for a person. */
export function reportOfSeveral(outcome: SeveralOutcome): string[] {
  const { ordeals, heard, beats } = outcome
  const told = numbers(heard.map(({ ms }) => ms))
  const ok = beats.filter(isOk).map(({ ms }) => ms)
  return [
    '',
    `seed            ${outcome.seed}, ${Math.round(outcome.secs)} s`,
    `servers         ${outcome.replicas}, behind ${outcome.balancer}`,
    `faults          ${ordeals.length}`,
    ...Object.entries(Object.groupBy(ordeals, ({ kind }) => kind)).flatMap(([kind, of]) =>
      linesOf(kind as Kind, of),
    ),
    `told elsewhere  of ${told.length} changes of devices outside of faults, browsers at other servers: ${spread(told, 'ms')}`,
    `requests        ${beats.length} through the balancer, ${beats.length - ok.length} of them not answered with 2xx; ${spread(numbers(ok), 'ms')}`,
    ...booksOf(outcome),
  ]
}

/** For one kind of fault: how often, and how soon all was well again. */
function linesOf(kind: Kind, of: readonly Ordeal[]): string[] {
  const secs = (times: readonly (number | undefined)[]) =>
    spread(numbers(times.map((ms) => ms && ms / 1_000)), 's')
  const fates = of.flatMap(({ fate }) => fate ?? [])
  const failed = of.flatMap((ordeal) => ordeal.failed)
  const said = Map.groupBy(failed, (beat) => beat.said)
  const answers = [...said].map(([what, { length }]) => `${length} × ${what}`).join(', ')
  return [
    `  ${kinds[kind]}: ${of.length} ×`,
    `      serving again after ${secs(of.map(({ serving_ms }) => serving_ms))}; requests not answered: ${answers || 'none'}`,
    ...(kind === 'failover'
      ? [
          `      promoted ${secs(of.map(({ lasts_ms }) => lasts_ms))} after the kill; first write acknowledged ${secs(of.map(({ stored_ms }) => stored_ms))} after it`,
        ]
      : []),
    ...(fates.length > 0
      ? [
          `      its devices shown disconnected after ${secs(fates.map(({ gone_ms }) => gone_ms))}, told to browsers elsewhere after ${secs(fates.map(({ told_ms }) => told_ms))}`,
          `      its devices connected elsewhere, or again, after ${secs(fates.map(({ back_ms }) => back_ms))}`,
        ]
      : []),
  ]
}

function numbers(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined).sort((a, b) => a - b)
}

function spread(sorted: readonly number[], unit: 's' | 'ms'): string {
  if (sorted.length === 0) return '(none)'
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  const text = (value: number) => `${value.toFixed(unit === 's' ? 1 : 0)} ${unit}`
  if (sorted.length < 5) return sorted.map(text).join(', ')
  return `p50 ${text(at(0.5))}, p99 ${text(at(0.99))}, most ${text(sorted.at(-1)!)}`
}
