import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { isWaiting, MANY_FAILED, progressOf } from './progress.ts'
import { campaigns as words } from './text.ts'
import { atHour } from './when.ts'
import { formatPercent } from '#console/ui/numbers.ts'

export type Note = { said: string; bad: boolean }

/** What there is to know about a campaign besides its figures. `bad` if someone must act. `now` in ms. */
export function noteOf(campaign: Campaign, now = Date.now()): Note | undefined {
  const { state, paused_at, paused_by } = campaign
  if (state === 'paused' && paused_at !== null)
    return { said: words.pausedBy(paused_by ?? '', atHour(paused_at, now)), bad: false }
  if (state === 'stopped') {
    const { failed = 0 } = progressOf(campaign)
    return failed >= MANY_FAILED ? { said: words.stoppedFor(formatPercent(failed)), bad: true } : undefined
  }
  if (isWaiting(campaign, now)) return waitNote(campaign, now)
  return state === 'running' && campaign.limited_by === 'devices'
    ? { said: words.waits.devices, bad: true }
    : undefined
}

/** Why a campaign that runs waits. */
function waitNote({ waiting_code, waiting_params }: Campaign, now: number): Note | undefined {
  if (!waiting_code) return undefined
  const facts = (waiting_params ?? {}) as Record<string, string | number | null | undefined>
  const at = facts['until'] ?? facts['at']
  const until = typeof at === 'string' ? atHour(at, now) : undefined
  if (waiting_code === 'sending_off') return { said: words.waits.sending, bad: true }
  if (waiting_code === 'sending_hours') return { said: words.waits.hours(until), bad: false }
  if (waiting_code === 'not_before') return { said: words.waits.later(until), bad: false }
  if (AT_LIMIT.has(waiting_code) || Number(facts['at_limit']) > 0)
    return { said: words.waits.limit(until), bad: until === undefined }
  return NO_DEVICE.has(waiting_code)
    ? { said: words.waits.devices, bad: true }
    : { said: words.waits.turn, bad: false }
}

type Code = NonNullable<Campaign['waiting_code']>

const AT_LIMIT: ReadonlySet<Code> = new Set(['no_room', 'over_limits', 'device_limit', 'over_device_limit'])
const NO_DEVICE: ReadonlySet<Code> = new Set([
  'no_device',
  'no_sim',
  'none_can',
  'device_offline',
  'device_disabled',
  'device_unlinked',
])
