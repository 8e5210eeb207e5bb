import type { ErrorParams } from '@sdd/contract/core/error-params.ts'
import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { sharedSettings } from '#server/accounts/settings/settings.ts'
import { instant, nowOf } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { countQueued } from '#server/fleet/devices/capacity.ts'
import { type DestinationRules, explainDestination } from '#server/messages/destinations/rules.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { addMessage, type MoveNeeds } from '#server/messages/messages/moving.ts'
import type { QueuedNeeds } from '#server/messages/messages/queued.ts'
import { explainBlock, optedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { channelFaults } from './channel-faults.ts'
import type { Sent } from './sending.ts'
import { smsOf } from './sms.store.ts'
import { alertSubjects } from './subjects.store.ts'

export type TextingNeeds = MoveNeeds & QueuedNeeds & { destinations: Pick<DestinationRules, 'of'> }

type AlertSms = { guid: string; device_id: number; company_id: number }

/** Shows in the log who wrote it. */
const AUTHOR = 'Alerts'
/** What one SMS of an alert may have at most. */
const MOST_LETTERS = 300

type AlertSmsText = {
  guid: string
  company_id: number
  number: string
  text: string
  lifetime_ms: number
  /** Not through these devices, nor through those that hold these SIMs. */
  but: { uids: readonly string[]; iccids: readonly string[] }
  /** The SMS of the try before, which failed. Another device than its own is tried first. */
  failed_guid: string | null
}

/**
 * Queues an SMS at a device of the company that can send it now. It goes before other messages, at any hour.
 * `undefined` if there is no such device now. Returns the reason if nothing may be sent to the number.
 */
export async function storeAlertSms(
  tx: Tx,
  needs: TextingNeeds,
  sms: AlertSmsText,
): Promise<AlertSms | string | undefined> {
  const { guid, company_id, number, but, failed_guid } = sms
  const { clock, destinations } = needs
  // A number that is blocked meanwhile waits for this, and ends it.
  const settings = await sharedSettings(tx, 'all', company_id)
  const rules = await destinations.of(tx, company_id, settings.destinations)
  const refused = rules && explainDestination(rules, number)
  if (refused) return refusalOf(refused.params)
  const optOut = (await optedOut(tx, company_id, [number])).get(number)
  if (optOut) return channelFaults.sms_ended.write({ state: 'failed', why: explainBlock(number, optOut) })
  const { now_ms, now, day } = nowOf(clock)
  const message = shortened(sms.text)
  const parts = measureText(message).segments
  const asked = { ...but, failed_guid, parts, day, now }
  const device_id = await alertSubjects(tx, company_id).senderBut(asked)
  if (device_id === undefined) return undefined
  await addMessage(tx, needs, {
    company_id,
    guid,
    device_id,
    message,
    message_to: number,
    parts,
    priority: CLASS_PRIORITY.code,
    silent: 0,
    queued_by_name: AUTHOR,
    queue_timestamp: now,
    task: 0,
    due_at: now,
    expires_at: instant(now_ms + sms.lifetime_ms),
  })
  await countQueued(tx, device_id, 1)
  return { guid, device_id, company_id }
}

/** What became of the SMS; `undefined` while it is not known. One that may have gone out is never sent again. */
export async function alertSmsOutcome(tx: Tx, company_id: number, guid: string): Promise<Sent | undefined> {
  const sms = await smsOf(tx, company_id, guid)
  if (sms === undefined) return { delivered: false, final: true, detail: channelFaults.sms_removed.write({}) }
  const { state, detail } = sms
  if (state === null) return undefined
  if (state === 'sent' || state === 'delivered' || state === 'replied')
    return { delivered: true, final: true, detail: null }
  const { sms_ended, sms_only_ended } = channelFaults
  const said = detail ? sms_ended.write({ state, why: detail }) : sms_only_ended.write({ state })
  return { delivered: false, final: state === 'uncertain', detail: said }
}

function refusalOf({ number, prefix }: ErrorParams<'destination_refused'>): string {
  const { denied, not_allowed } = channelFaults
  return prefix === null ? not_allowed.write({ number }) : denied.write({ number, prefix })
}

function shortened(text: string): string {
  const letters = Array.from(text)
  for (let most = Math.min(letters.length, MOST_LETTERS); most > 0; most -= 10) {
    const part = most < letters.length ? `${letters.slice(0, most).join('')}...` : text
    if (measureText(part).segments <= Math.min(3, MAX_SEGMENTS)) return part
  }
  return ''
}
