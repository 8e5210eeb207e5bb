import { matchFields, type RouteMatch, type RouteRule } from '@sdd/contract/fleet/routes.ts'

/** The place of the first rule that matches every message of a later one; undefined if none does. */
export function hiddenBy(rules: readonly RouteRule[], place: number): number | undefined {
  const { match } = rules[place]!
  const found = rules.findIndex((rule, at) => at < place && rule.enabled && covers(rule.match, match))
  return found === -1 ? undefined : found
}

/** Whether each message that `narrow` matches is matched by `wide`, as far as the rules themselves show it. */
function covers(wide: RouteMatch, narrow: RouteMatch): boolean {
  return matchFields.every((field) => {
    if (wide[field] === undefined) return true
    if (narrow[field] === undefined) return false
    const values = valuesOf(wide, field)
    return valuesOf(narrow, field).every((value) =>
      values.some((other) => (field === 'prefix' ? value.startsWith(other) : value === other)),
    )
  })
}

/** The values of a field as texts. */
export function valuesOf(match: RouteMatch, field: keyof RouteMatch): string[] {
  const value = match[field]
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).map(String)
}
