import type { Country } from '@sdd/contract/core/countries.ts'
import type { MessageClass } from '@sdd/contract/core/fields.ts'
import type { MatchField, RouteMatch, RouteRule, RuleReason } from '@sdd/contract/fleet/routes.ts'
import { countryOf } from '#server/core/phone-number.ts'

/** What routes look at. `campaign` and `api_key_id` are null for messages without one. */
export type RoutedMessage = {
  to: string
  class: MessageClass
  api_key_id: number | null
  campaign: number | null
}

/** A route, and the first of its fields that a message does not match. */
export type Rule = Pick<RouteRule, 'id' | 'via' | 'fallback' | 'fallback_after_secs' | 'enabled'> & {
  misfit(message: RoutedMessage, country: () => Country): MatchField | undefined
}

/** The routes of a company in order. */
export type RouteRules = {
  readonly version: number
  /** Messages with a higher id were stored after the list was saved, into the lanes that it names. */
  readonly since_message: number
  readonly rules: readonly Rule[]
  /** The country of short codes. */
  home(): Country
}

/** The route that decides about a message: the first enabled one that matches. */
export function decide({ rules, home }: RouteRules, message: RoutedMessage): Rule | undefined {
  const country = countryReader(message, home)
  return rules.find((rule) => rule.enabled && rule.misfit(message, country) === undefined)
}

/** What each route says of a message, in order. */
export function explainRules(
  { rules, home }: RouteRules,
  message: RoutedMessage,
): { id: number; match: boolean; why: RuleReason | null }[] {
  const country = countryReader(message, home)
  const winner = rules.find((rule) => rule.enabled && rule.misfit(message, country) === undefined)
  return rules.map((rule) => {
    const misfit = rule.misfit(message, country)
    const why = rule.enabled ? (misfit ?? (rule === winner ? null : 'later')) : 'disabled'
    return { id: rule.id, match: misfit === undefined, why }
  })
}

/** The country of a number; of a short code, and of a number of no country, the company's. */
export function countryOfNumber(number: string, home: Country): Country {
  return countryOf(number) ?? home
}

/** Looked up once, and only if a route asks: reading a number takes longer than everything else here. */
function countryReader({ to }: RoutedMessage, home: () => Country): () => Country {
  let found: Country | undefined
  return () => (found ??= countryOfNumber(to, home()))
}

export function ruleOf({ id, match, via, fallback, fallback_after_secs, enabled }: RouteRule): Rule {
  const tests = testsOf(match)
  return {
    id,
    via,
    fallback,
    fallback_after_secs,
    enabled,
    misfit: (message, country) => tests.find(([, test]) => !test(message, country))?.[0],
  }
}

type Test = (message: RoutedMessage, country: () => Country) => boolean

function testsOf({ prefix, country, class: named, api_key_id, campaign }: RouteMatch): [MatchField, Test][] {
  const tests: [MatchField, Test][] = []
  if (prefix !== undefined) {
    const prefixes = listOf(prefix)
    tests.push(['prefix', ({ to }) => prefixes.some((one) => to.startsWith(one))])
  }
  if (country !== undefined) {
    const countries = new Set(listOf(country))
    tests.push(['country', (_, read) => countries.has(read())])
  }
  if (named !== undefined) {
    const classes = new Set(listOf(named))
    tests.push(['class', (message) => classes.has(message.class)])
  }
  if (api_key_id !== undefined) tests.push(['api_key_id', (message) => message.api_key_id === api_key_id])
  if (campaign !== undefined) tests.push(['campaign', (message) => message.campaign === campaign])
  return tests
}

function listOf<Value extends string>(values: Value | readonly Value[]): readonly Value[] {
  return typeof values === 'string' ? [values] : values
}
