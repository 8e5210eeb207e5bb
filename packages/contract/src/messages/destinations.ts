import * as z from 'zod/mini'
import { CompanyQuery } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** The most prefixes of one list. */
export const MAX_PREFIXES = 1_000

const PREFIX = /^\+?\d{1,15}$/

/** What is wrong with a list of prefixes, as a sentence about its field; `undefined` where it is good. */
export function faultOfPrefixes(prefixes: readonly string[]): string | undefined {
  if (prefixes.length > MAX_PREFIXES) return `must have ${MAX_PREFIXES} prefixes at most`
  const bad = prefixes.find((prefix) => !PREFIX.test(prefix))
  return bad === undefined
    ? undefined
    : `must hold prefixes of an optional + and 1 to 15 digits; ${JSON.stringify(bad.slice(0, 30))} is none`
}

/** The API's description has the pattern and the bound, which the check below words in one sentence. */
const Prefixes = z
  .array(z.string().register(z.globalRegistry, { pattern: PREFIX.source }))
  .check(
    z.refine((prefixes) => faultOfPrefixes(prefixes) === undefined, {
      error: ({ input }) => faultOfPrefixes(input as string[]),
    }),
  )
  .register(z.globalRegistry, { maxItems: MAX_PREFIXES })

/** Where a company's messages may go. `deny` wins; an empty `allow` allows all numbers. */
export const Destinations = z.object({
  company_id: z.int(),
  allow: z.array(z.string()),
  deny: z.array(z.string()),
  /** How many messages one number may be sent a day, from the console and as tasks together; null: no cap. */
  max_per_recipient_dayly: z.nullable(z.int()),
})
export type Destinations = z.infer<typeof Destinations>

export const DestinationsChange = z.object({
  /** Compared with the number as it is kept. */
  allow: Prefixes,
  deny: Prefixes,
  max_per_recipient_dayly: z.nullable(z.int().check(z.gte(1), z.lte(100_000))),
})
export type DestinationsChange = z.infer<typeof DestinationsChange>

export const readDestinations = route('GET /api/destinations', {
  summary: "Where the company's messages may go. A superadmin may name another company.",
  may: 'settings:write',
  query: CompanyQuery,
  reply: Destinations,
  errors: ['unknown_company'],
})

export const saveDestinations = route('POST /api/destinations', {
  summary: "Saves where the company's messages may go. What waits already is not touched.",
  may: 'settings:write',
  query: CompanyQuery,
  body: DestinationsChange,
  reply: Destinations,
  errors: ['unknown_company'],
})
