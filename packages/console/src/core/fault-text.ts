import { textOf, type CallFault } from '@sdd/contract/core/client.ts'
import { wording } from '#console/core/language.ts'

/** Sentences about refusals. By default they are the server's own, which a chosen language never shows. */
export const faults = wording('faults', {
  /** Undefined if the refusal did not come from this API. */
  refusal: ({ body }: CallFault): string | undefined => textOf(body, 'detail'),
  /** The error of each invalid field, by its name. */
  fields: (fault: CallFault): Readonly<Record<string, string>> => fault.fields,
})
