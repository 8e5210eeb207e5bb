import { instant } from '#server/core/clock.ts'
import { decide, type RoutedMessage, type RouteRules, type Rule } from '#server/fleet/routes/deciding.ts'
import { readCampaignGuid } from '#server/messages/messages/campaign-guid.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import { deviceOf, EVERY_DEVICE, homeLane, type Lane, laneFor, NO_DEVICE } from './lane-names.ts'

/** A task's lane, and when it moves to the next one. With null, it stays until a device takes it. */
export type Place = { lane: Lane; lane_until: string | null }

/** The columns by which routes decide about a message. */
export type Routable = Pick<
  Message,
  'message_to' | 'priority' | 'task' | 'guid' | 'api_key_id' | 'from_number' | 'via'
>

/** The route of a message. One that has its own tag is not routed, nor is one that names its device. */
export function ruleFor(routes: RouteRules | undefined, message: Routable): Rule | undefined {
  return routes === undefined || message.via !== null ? undefined : decide(routes, asRouted(message))
}

export function asRouted({ message_to, api_key_id, task, guid, ...message }: Routable): RoutedMessage {
  const campaign = task === 3 ? (readCampaignGuid(guid)?.id ?? null) : null
  return { to: message_to, class: classOf(message), api_key_id, campaign }
}

/** The tag of the devices that come after those of the route; `undefined` if none do. */
export function fallbackOf({ fallback }: Rule): string | undefined {
  if (fallback === 'wait' || fallback === 'refuse') return undefined
  return fallback === 'any' ? EVERY_DEVICE : fallback
}

/** The tag of the devices that a route leaves to a message; null: every device. */
export function groupOfRule({ via, fallback }: Rule): string | null {
  return via ?? (fallback === 'refuse' ? NO_DEVICE : null)
}

/** Where a message waits that no device of its own was found for. It has been ready to go since `ready_ms`. */
export function homePlace(
  message: Routable,
  routes: RouteRules | undefined,
  at: { ready_ms: number; now_ms: number },
): Place {
  return placeBy(ruleFor(routes, message), message, at)
}

function placeBy(
  rule: Rule | undefined,
  message: Pick<Routable, 'from_number' | 'via'>,
  { ready_ms, now_ms }: { ready_ms: number; now_ms: number },
): Place {
  const via = rule === undefined ? null : groupOfRule(rule)
  if (rule === undefined || via === null) return { lane: homeLane(message), lane_until: null }
  const sim = message.from_number ?? undefined
  const or = fallbackOf(rule)
  const opens_ms = ready_ms + rule.fallback_after_secs * 1_000
  return or === undefined || opens_ms <= now_ms
    ? { lane: laneFor({ sim, via, or }), lane_until: null }
    : { lane: laneFor({ sim, via, or: undefined }), lane_until: instant(opens_ms) }
}

/**
 * The place of a message by the present routes; `undefined` if it may stay in its lane. `tags` are those of
 * the device in whose lane it waits.
 */
export function otherPlace(
  message: Routable & { lane: string | null; due_at: string },
  routes: RouteRules | undefined,
  now_ms: number,
  tags: ReadonlySet<string>,
): Place | undefined {
  const rule = ruleFor(routes, message)
  const place = placeBy(rule, message, { ready_ms: Date.parse(message.due_at), now_ms })
  const { lane } = message
  if (place.lane === lane) return undefined
  // The device that last wrote to the number, if the route allows it.
  if (deviceOf(lane) !== undefined) {
    const via = rule === undefined ? null : groupOfRule(rule)
    return via === null || tags.has(via) ? undefined : place
  }
  // It moves to the others a moment later.
  return placeBy(rule, message, { ready_ms: now_ms + 1, now_ms }).lane === lane ? undefined : place
}
