import { randomUUID } from 'node:crypto'
import type { ConversationMessage, NewAnswer } from '@sdd/contract/people/conversations.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { sharedSettings } from '#server/accounts/settings/settings.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import type { Live } from '#server/core/live.ts'
import { isAnswerable } from '#server/core/phone-number.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { discardOrCancel, unknownMessage } from '#server/dispatch/expiry/discarding.ts'
import { countLanes } from '#server/dispatch/lanes/lanes.ts'
import { openRouteCheck } from '#server/dispatch/lanes/route-check.ts'
import { homePlace, type Routable } from '#server/dispatch/lanes/routed.ts'
import type { CompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import { countQueued } from '#server/fleet/devices/capacity.ts'
import { requireDevice } from '#server/fleet/devices/devices.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'
import { consentRefusal, lacksConsent } from '#server/messages/consent/consent.ts'
import { countRecipient } from '#server/messages/destinations/counting.ts'
import { type DestinationRules, refuseDestination } from '#server/messages/destinations/rules.ts'
import { PERSON_PRIORITY } from '#server/messages/messages/classes.ts'
import { countParts, LIFETIME_MS } from '#server/messages/messages/messages.ts'
import { addMessage, type MoveNeeds } from '#server/messages/messages/moving.ts'
import { announceQueued, type QueuedNeeds } from '#server/messages/messages/queued.ts'
import { type KnownMessage, knownGuids } from '#server/messages/messages/store.ts'
import { refuseOptedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { refuseReader } from './access.ts'
import { asSentMessage, storedNumber } from './reading.ts'
import { threadStore } from './store.ts'
import { usualSim } from './usual-sim.ts'

type Needs = MoveNeeds &
  QueuedNeeds & {
    db: Database
    diskSpace: Pick<DiskSpace, 'refuseIfShort'>
    live: Live
    wake(): void
    destinations: Pick<DestinationRules, 'of'>
    numbers: Pick<Numbers, 'kept'>
    companyRoutes: Pick<CompanyRoutes, 'of'>
  }

type Asked = { number: string; company?: number | undefined }

/**
 * Stores a message to the number of a conversation. It waits for the device that the caller names, or for the SIM that
 * last exchanged a message with this number, however long that is away; without either, any device may send it.
 * `repeated`: a message with this guid and content was stored already. Refuses without storing anything: `forbidden`,
 * `unknown_company`, `unknown_device`, `invalid`, `not_answerable`, `opted_out`, `no_consent`,
 * `destination_refused`, `recipient_limit`, `no_route`, `may_have_arrived`, `not_repeatable`, `guid_taken`, `disk_full`.
 */
export async function answerConversation(
  needs: Needs,
  caller: Caller,
  { number: written, company }: Asked,
  answer: NewAnswer,
): Promise<{ guid: string; repeated: boolean }> {
  const { db, diskSpace } = needs
  diskSpace.refuseIfShort()
  const company_id = company ?? caller.company_id
  const guid = answer.guid ?? randomUUID()
  const stored = await db.write(async (tx) => {
    await refuseReader(tx, caller, company_id)
    const number = await storedNumber(tx, needs.numbers, company_id, written)
    if (!isAnswerable(number)) throw notAnswerable(number)
    const known = answer.guid ? (await knownGuids(tx, company_id, [guid])).get(guid) : undefined
    const message =
      'text' in answer ? answer.text : await textOf(tx, company_id, number, answer, known !== undefined)
    if (known) {
      const { device_uid } = answer
      if (
        isSame(known, number, message) &&
        !(await namesAnother(tx, { company_id, number, guid, device_uid }))
      )
        return 'repeated'
      throw new Refusal('guid_taken', `There is another message ${guid} already. Use a new guid.`)
    }
    return store(tx, needs, caller, { company_id, number, guid, message, device_uid: answer.device_uid })
  })
  if (stored === 'repeated') return { guid, repeated: true }
  crashPoint('stored')
  announceQueued(needs, { company_id, device_id: stored.device_id })
  return { guid, repeated: false }
}

type NewText = {
  company_id: number
  number: string
  guid: string
  message: string
  device_uid: string | null | undefined
}

async function store(
  tx: Tx,
  needs: Needs,
  caller: Caller,
  { company_id, number, guid, message, device_uid }: NewText,
): Promise<{ device_id: number | undefined }> {
  const { clock, destinations, numbers } = needs
  const parts = countParts(message, 'text')
  const chosen = device_uid ? await requireDevice(tx, { company_id }, device_uid) : undefined
  const settings = await sharedSettings(tx, caller.scope, company_id)
  const rules = await destinations.of(tx, company_id, settings.destinations)
  if (rules) refuseDestination(rules, number, 'number')
  await refuseOptedOut(tx, company_id, number)
  if (rules) await countRecipient(tx, clock, company_id, rules, number)
  const sim = chosen
    ? { device_id: chosen.id, from_number: null }
    : await usualSim(tx, numbers, company_id, number)
  const now_ms = clock.now()
  const now = instant(now_ms)
  const which = { guid, message_to: number, priority: PERSON_PRIORITY, task: 2 } as const
  const place = sim
    ? undefined
    : await routedPlace(tx, needs, { company_id, now_ms, version: settings.routes }, which)
  await addMessage(tx, needs, {
    ...which,
    company_id,
    message,
    parts,
    device_id: sim?.device_id ?? null,
    from_number: sim?.from_number ?? null,
    lane: place?.lane ?? null,
    lane_until: place?.lane_until ?? null,
    silent: 0,
    queued_by: caller.user_id,
    queued_by_name: caller.name,
    queue_timestamp: now,
    due_at: now,
    expires_at: instant(now_ms + LIFETIME_MS),
  })
  if (sim) await countQueued(tx, sim.device_id, 1)
  else if (place) await countLanes(tx, company_id, new Map([[place.lane, 1]]))
  return { device_id: sim?.device_id }
}

/** Where a message without a device waits. `no_route` if the routes refuse it. */
async function routedPlace(
  tx: Tx,
  { companyRoutes }: Pick<Needs, 'companyRoutes'>,
  { company_id, now_ms, version }: { company_id: number; now_ms: number; version: number },
  which: Pick<Routable, 'guid' | 'message_to' | 'priority' | 'task'>,
) {
  const routable = { ...which, api_key_id: null, from_number: null, via: null }
  const routes = await companyRoutes.of(tx, company_id, version)
  const refusal = routes && (await openRouteCheck(tx, company_id, routes))(routable)
  if (refusal) throw refusal
  return homePlace(routable, routes, { ready_ms: now_ms, now_ms })
}

/** The text of a message that ended badly; of any message, if the request is a repetition. */
async function textOf(
  tx: Tx,
  company_id: number,
  number: string,
  { again, sure = false }: { again: string; sure?: boolean | undefined },
  repeated: boolean,
): Promise<string> {
  const row = await threadStore(tx, company_id, number).byGuid(again)
  if (row && !repeated && (await lacksConsent(tx, row))) throw consentRefusal(number, 'again')
  if (row && (repeated || row.state === 'failed' || (row.state === 'uncertain' && sure))) return row.message
  if (row?.state === 'uncertain')
    throw new Refusal(
      'may_have_arrived',
      `The message ${again} may have arrived: send it again with sure if twice is better than never.`,
    )
  throw new Refusal(
    'not_repeatable',
    row
      ? `The message ${again} is ${row.state}: only a failed or an uncertain one can be sent again.`
      : `This conversation has no message ${JSON.stringify(again)}.`,
  )
}

function isSame(known: KnownMessage, number: string, message: string): boolean {
  return known.task === 2 && known.message_to === number && known.message === message
}

/**
 * Whether a repetition names a device that the stored message cannot have named. A message stays with its named device
 * until that is unlinked. A device linked since then under the same uid is another one, and tells nothing.
 */
async function namesAnother(
  tx: Tx,
  { company_id, number, guid, device_uid }: Omit<NewText, 'message'>,
): Promise<boolean> {
  const device = device_uid ? await deviceStore(tx, { company_id }).byUid(device_uid) : undefined
  const row = device && (await threadStore(tx, company_id, number).byGuid(guid))
  return row !== undefined && device!.created_at <= row.queue_timestamp && device!.id !== row.device_id
}

function notAnswerable(number: string): Refusal {
  return new Refusal(
    'not_answerable',
    `${JSON.stringify(number)} is no phone number, so nothing can be sent to it.`,
  )
}

/**
 * Discards a message of the conversation, or asks the device that has it to drop it (`asked`). `forbidden`,
 * `unknown_company`, `unknown_message`, `task_not_discardable`.
 */
export async function discardAnswer(
  needs: Needs,
  caller: Caller,
  { number: written, guid, company }: Asked & { guid: string },
): Promise<{ message: ConversationMessage; asked: boolean }> {
  const { db, clock, live, wake, featureMetrics } = needs
  const company_id = company ?? caller.company_id
  const { to, asked, changed } = await db.write(async (tx) => {
    await refuseReader(tx, caller, company_id)
    const to = await storedNumber(tx, needs.numbers, company_id, written)
    const dropped = await discardOrCancel(tx, needs, { company_id }, { guid, to, by: caller.name })
    if (dropped.changed)
      await recordChange(tx, clock, caller, { company_id, action: 'task.discarded', name: guid })
    return { ...dropped, to }
  })
  if (changed) {
    if (asked) wake()
    else featureMetrics.messages.inc({ state: 'cancelled' })
    live.changed(company_id, 'tasks', 'logs', 'audit')
  }
  const row = await threadStore(db.read, company_id, to).byGuid(guid)
  if (row === undefined) throw unknownMessage(guid)
  return { message: await asSentMessage(db.read, clock, row), asked }
}
