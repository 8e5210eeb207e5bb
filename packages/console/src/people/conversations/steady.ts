import type { Conversation } from '@sdd/contract/people/conversations.ts'
import { keyOf } from './conversations.ts'

/** The rows as shown. `since`: the time of the newest message when they were last put in order. */
export type SteadyRows = { rows: readonly Conversation[]; since: string }

/**
 * The rows to show after the list was loaded again. While it is `held`, because the pointer or the focus is in it, no
 * row moves, and newer ones wait. At any time the row with the key `open` keeps its place.
 */
export function steadyRows(
  shown: SteadyRows | undefined,
  loaded: readonly Conversation[],
  { held, open }: { held: boolean; open: string | undefined },
): SteadyRows {
  if (!shown) return { rows: loaded, since: newestIn(loaded) }
  const byKey = new Map(loaded.map((row) => [keyOf(row), row]))
  if (held) {
    const kept = new Set(shown.rows.map(keyOf))
    const older = loaded.filter((row) => !kept.has(keyOf(row)) && row.last_at <= shown.since)
    return { ...shown, rows: [...shown.rows.map((row) => byKey.get(keyOf(row)) ?? row), ...older] }
  }
  const since = newestIn(loaded)
  const at = shown.rows.findIndex((row) => keyOf(row) === open)
  const own = shown.rows[at]
  if (!own) return { rows: loaded, since }
  const others = loaded.filter((row) => keyOf(row) !== open)
  const kept = byKey.get(keyOf(own)) ?? own
  return { rows: [...others.slice(0, at), kept, ...others.slice(at)], since }
}

/** How many conversations have newer messages than when the rows were put in order. */
export function freshIn(loaded: readonly Conversation[], { since }: SteadyRows): number {
  return loaded.filter(({ last_at }) => last_at > since).length
}

function newestIn(rows: readonly Conversation[]): string {
  return rows.reduce((newest, { last_at }) => (last_at > newest ? last_at : newest), '')
}
