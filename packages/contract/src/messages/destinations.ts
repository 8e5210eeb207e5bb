import * as z from 'zod/mini'
import { CompanyQuery } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** The most prefixes of one list. */
export const MAX_PREFIXES = 1_000

const PREFIX = /^\+?\d{1,15}$/

/** The fault of a list of prefixes, as a sentence about the field; `undefined` if the list is valid. */
function prefixesError(prefixes: readonly string[]): string | undefined {
  if (prefixes.length > MAX_PREFIXES) return `must have ${MAX_PREFIXES} prefixes at most`
  const bad = prefixes.find((prefix) => !PREFIX.test(prefix))
  return bad === undefined
    ? undefined
    : `must hold prefixes of an optional + and 1 to 15 digits; ${JSON.stringify(bad.slice(0, 30))} is none`
}

/** The pattern and the bound appear in the API's description; the check below reports them as one sentence. */
const Prefixes = z
  .array(z.string().register(z.globalRegistry, { pattern: PREFIX.source }))
  .check(
    z.refine((prefixes) => prefixesError(prefixes) === undefined, {
      error: ({ input }) => prefixesError(input as string[]),
    }),
  )
  .register(z.globalRegistry, { maxItems: MAX_PREFIXES })

/** Allowed destinations of a company's messages. `deny` wins; an empty `allow` allows all numbers. */
export const Destinations = z.object({
  company_id: z.int(),
  allow: z.array(z.string()),
  deny: z.array(z.string()),
  /** The most messages to one number per day, from the console and tasks together; null: no cap. */
  max_per_recipient_dayly: z.nullable(z.int()),
})
export type Destinations = z.infer<typeof Destinations>

export const DestinationsChange = z.strictObject({
  /** Compared with the stored form of the number. */
  allow: Prefixes,
  deny: Prefixes,
  max_per_recipient_dayly: z.nullable(z.int().check(z.gte(1), z.lte(100_000))),
})
export type DestinationsChange = z.infer<typeof DestinationsChange>

export const readDestinations = route('GET /api/destinations', {
  summary: "The allowed destinations of the company's messages. A superadmin may name another company.",
  may: 'settings:write',
  query: CompanyQuery,
  reply: Destinations,
  errors: ['unknown_company'],
})

export const saveDestinations = route('POST /api/destinations', {
  summary: "Saves the allowed destinations of the company's messages. Waiting messages are not affected.",
  may: 'settings:write',
  query: CompanyQuery,
  body: DestinationsChange,
  reply: Destinations,
  errors: ['unknown_company'],
})
