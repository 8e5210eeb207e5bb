import { RouteTrial } from '@sdd/contract/fleet/routes.ts'
import type { MessageClass } from '@sdd/contract/core/fields.ts'

/** A message to try, as the API takes it. */
export type Trial = {
  to_number: string
  class: MessageClass
  from_number?: string
  api_key_id?: number
  campaign?: number
}

/** What a person chose, besides the number. `source` is `key:7`, `campaign:3` or an empty text. */
export type Typed = { from: string; class: MessageClass; source: string }

/** The message that a person describes; undefined while its number cannot be one. */
export function trialOf(typed: Typed & { number: string }): Trial | undefined {
  const [kind, id] = typed.source.split(':')
  const trial = {
    to_number: typed.number,
    class: typed.class,
    ...(typed.from.trim() !== '' && { from_number: typed.from }),
    ...(kind === 'key' && { api_key_id: Number(id) }),
    ...(kind === 'campaign' && { campaign: Number(id) }),
  }
  return RouteTrial.safeParse(trial).success ? trial : undefined
}
