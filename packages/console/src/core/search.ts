import * as z from 'zod/mini'

/** A parameter of an address: what is there but makes no sense counts as absent, so that no old link is an error. */
export function orNothing<S extends z.ZodMiniType>(schema: S) {
  // oxlint-disable-next-line promise/valid-params -- zod's catch, not a promise's
  return z.catch(schema, undefined as z.output<S>)
}
