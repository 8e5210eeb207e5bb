import { type PlaceName, places } from './plan.ts'
import type { TortureOutcome } from './torture.ts'

type Tally = Pick<
  TortureOutcome,
  | 'tasks'
  | 'sms'
  | 'acknowledged'
  | 'ends'
  | 'on_air'
  | 'devices'
  | 'reports'
  | 'callbacks'
  | 'observed'
  | 'faults'
  | 'kept'
>

/** Per kind: one defect has many victims. */
const MOST_FAULTS = 5

/** A run's actions and findings, for a person. */
export function reportOf(outcome: TortureOutcome): string[] {
  const { kills, at, ready_ms } = outcome
  const sorted = ready_ms.toSorted((a, b) => a - b)
  const ms = (value: number | undefined) => `${Math.round(value ?? 0)} ms`
  return [
    '',
    `seed            ${outcome.seed}, ${Math.round(outcome.secs)} s`,
    `kills           ${kills}: ${at.anywhere} at random moments`,
    ...(Object.keys(places) as PlaceName[])
      .filter((place) => at[place] > 0)
      .map(
        (place) =>
          `                ${String(at[place]).padStart(String(kills).length)} ${places[place].says}`,
      ),
    `serving again   p50 ${ms(sorted[Math.floor(sorted.length / 2)])}, max ${ms(sorted.at(-1))} (${sorted.length} starts)`,
    ...booksOf(outcome),
  ]
}

/** The totals and the faults: the same for one server and for several. */
export function booksOf(outcome: Tally): string[] {
  const { devices, callbacks, observed, faults, ends } = outcome
  const at_once = devices.lives > 1 ? `, all of them at once ${devices.lives - 1} times` : ''
  return [
    `messages        ${outcome.tasks} tasks, ${outcome.sms} from the console; ${outcome.acknowledged} acknowledged`,
    `ended           ${Object.entries(ends)
      .map(([state, count]) => `${state} ${count}`)
      .join(', ')}`,
    `on air          ${outcome.on_air}`,
    `devices         ${devices.crashes} killed${at_once}; ${devices.connections} connections`,
    `reports         ${outcome.reports} acknowledged and in the records`,
    `callbacks       ${callbacks.heard}, ${callbacks.repeated} of them repeated`,
    `checked         ${observed.looks} times, ${observed.entries} messages, under load`,
    '',
    ...faultsOf(faults),
    faults.length === 0
      ? 'Nothing was lost, nothing was sent twice, and nothing wrong was shown.'
      : `${faults.length} faults were found. Everything is kept in ${outcome.kept}`,
  ]
}

/** The first findings of each kind; those that differ only in names and numbers are of one kind. */
export function faultsOf(faults: readonly string[]): string[] {
  const kinds = Map.groupBy(faults, (fault) =>
    fault.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#').slice(0, 60),
  )
  return [...kinds.values()].flatMap((kind) => [
    ...kind.slice(0, MOST_FAULTS).map((fault) => `FAULT: ${fault}`),
    ...(kind.length > MOST_FAULTS ? [`… and ${kind.length - MOST_FAULTS} more like these`] : []),
  ])
}
