import * as z from 'zod/mini'

/** A search parameter whose invalid values count as absent, so that an old link is never an error. */
export function orUndefined<S extends z.ZodMiniType>(schema: S) {
  // oxlint-disable-next-line promise/valid-params -- zod's catch, not a promise's
  return z.catch(schema, undefined as z.output<S>)
}

/** Every parameter is text: `?search=34600` stays as typed and does not become a number. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Leaves out parameters without a value. Empty, or starts with `?`. */
export function stringifySearch(params: Record<string, unknown>): string {
  const given = Object.entries(params).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

/** The search parameters of any screen. */
export const ShellSearch = z.object({
  /** The list of open alerts is shown. */
  alerts: orUndefined(z.optional(z.literal('open'))),
})
