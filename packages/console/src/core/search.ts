import * as z from 'zod/mini'

/** A parameter of an address: what is there but makes no sense counts as absent, so that no old link is an error. */
export function orNothing<S extends z.ZodMiniType>(schema: S) {
  // oxlint-disable-next-line promise/valid-params -- zod's catch, not a promise's
  return z.catch(schema, undefined as z.output<S>)
}

/** Every parameter is a text: `?search=34600` stays what was typed, and is no number. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Without the parameters that have no value; empty, or from the `?` on. */
export function stringifySearch(params: Record<string, unknown>): string {
  const given = Object.entries(params).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}
