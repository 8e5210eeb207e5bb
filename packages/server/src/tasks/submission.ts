import type { NewTask, TaskReceipt, TaskResult } from '@sdd/contract/tasks/tasks.ts'
import { type Clock, instant, nowOf } from '#server/core/clock.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import { fault, invalidFields } from '#server/core/field-faults.ts'
import { type Fault, type Faults, Refusal } from '#server/core/refusal.ts'
import { openBatching } from '@sdd/storage/batching.ts'
import type { Database } from '#server/database/open.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import type { Tx } from '#server/database/schema.ts'
import type { DestinationRules } from '#server/messages/destinations/rules.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { closedUntil } from '#server/messages/hours/closed.ts'
import { consentRefusal, needsConsent, numbersWithoutConsent } from '#server/messages/consent/consent.ts'
import { addMessages } from '#server/messages/messages/moving.ts'
import type { WakeFor } from '#server/messages/messages/queued.ts'
import { blockRefusal, optedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { quotaReached, type TaskQuota } from '#server/accounts/quotas/enforcing.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { shareSettingsLock } from '#server/accounts/settings/settings.ts'
import { openTaskCheck } from './task-check.ts'
import { type Draft, draftOf, type DraftOrFaults, type Reading, readDraft, readTimes } from './draft.ts'
import { dropForbidden, placesWithLastDevice } from '#server/dispatch/lanes/last-device.ts'
import { countLanes, devicesOf, joinLane, type LaneChanges, laterLane } from '#server/dispatch/lanes/lanes.ts'
import { homePlace, type Place } from '#server/dispatch/lanes/routed.ts'
import { openRouteCheck } from '#server/dispatch/lanes/route-check.ts'
import type { CompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import { refuseClass, usualClass } from './key-classes.ts'
import { readTarget } from './report-target.ts'
import { contentColumns, type KnownMessage, knownGuids, newIds } from '#server/messages/messages/store.ts'

type Needs = {
  db: Database
  diskSpace: Pick<DiskSpace, 'refuseIfShort'>
  clock: Clock
  live: Live
  /** Makes a check for the company's callback URLs, for one request. */
  urlCheck(company_id: number): UrlCheck
  destinations: Pick<DestinationRules, 'of'>
  numbers: Pick<Numbers, 'country' | 'kept' | 'rulesIn'>
  companyRoutes: Pick<CompanyRoutes, 'of'>
  wakeFor: WakeFor
  featureMetrics: Pick<FeatureMetrics, 'messages' | 'handedIn'>
  taskQuota: Pick<TaskQuota, 'take'>
}
type Submitter = Caller | KeyCaller

/** Tasks submitted one by one that one transaction stores. This limits how long it takes. */
const AT_ONCE = 200

/** The answer for a task. `durable` resolves once the task is on disk. */
type Received = { receipt: TaskReceipt; durable: Promise<void> | undefined }

/**
 * Submits one task, together with other tasks that arrive at the same moment. Resolves once it is committed, or if it
 * existed already with the same content. Refuses without storing anything: `invalid`, `class_forbidden`, `guid_taken`,
 * `opted_out`, `destination_refused`, `no_route`, `recipient_limit`, `quota_reached`, `disk_full`.
 */
export function openTaskSubmission(needs: Needs): (caller: Submitter, task: NewTask) => Promise<Received> {
  const { db, diskSpace } = needs
  const awaited = new WeakMap<readonly Submitted[], DeviceAt[]>()
  const storeWithOthers = openBatching(
    db,
    AT_ONCE,
    async (tx, submitted: readonly Submitted[]) => {
      const { outcomes, devices } = await storeAll(tx, needs, submitted)
      awaited.set(submitted, devices)
      return outcomes
    },
    (submitted, outcomes) => announce(needs, submitted, outcomes, awaited.get(submitted)!),
  )

  return async (caller, task) => {
    diskSpace.refuseIfShort()
    const drafted = draftOf(task, readingOf(needs, caller))
    const parsed =
      drafted.draft?.callback_url === null
        ? { draft: drafted.draft, why: undefined }
        : await parseOne(drafted, task, openCallbackCheck(needs, caller))
    const { outcomes, durable } = await storeWithOthers([{ caller, parsed }])
    const outcome = outcomes[0]!
    if (outcome.status !== 'refused') return { receipt: outcome, durable }
    await durable
    throw outcome.refusal
  }
}

/**
 * Submits tasks: stores the valid ones together, and refuses each invalid one. Resolves once they are on disk, with
 * the results in the order of the tasks. `disk_full` for all of them if there is no space. If a guid occurs twice, the
 * second task counts as a repetition, or is refused.
 */
export async function submitTasks(
  needs: Needs,
  caller: Submitter,
  written: readonly unknown[],
): Promise<TaskResult[]> {
  const { db, diskSpace } = needs
  diskSpace.refuseIfShort()
  // Done before the transaction, since it looks up names.
  const check = openCallbackCheck(needs, caller)
  const reading = readingOf(needs, caller)
  const parsed = await Promise.all(written.map((task) => parseOne(readDraft(task, reading), task, check)))
  const { outcomes, devices } = await db.write((tx) => store(tx, needs, caller, parsed))
  announce(
    needs,
    outcomes.map(() => ({ caller })),
    outcomes,
    devices,
  )
  return outcomes.map((outcome) => (outcome.status === 'refused' ? resultOf(outcome) : outcome))
}

/**
 * Submits parsed tasks, all or none: the first refusal rejects, and nothing is stored. Resolves once they are on disk.
 */
export async function submitWhole(
  needs: Needs,
  caller: Submitter,
  tasks: readonly NewTask[],
): Promise<TaskReceipt[]> {
  needs.diskSpace.refuseIfShort()
  const check = openCallbackCheck(needs, caller)
  const reading = readingOf(needs, caller)
  const parsed = await Promise.all(tasks.map((task) => parseOne(draftOf(task, reading), task, check)))
  const { outcomes, devices } = await needs.db.write((tx) => store(tx, needs, caller, parsed, 'all or none'))
  const receipts: TaskReceipt[] = []
  for (const outcome of outcomes) {
    if (outcome.status === 'refused') throw outcome.refusal
    receipts.push(outcome)
  }
  announce(
    needs,
    receipts.map(() => ({ caller })),
    receipts,
    devices,
  )
  return receipts
}

function readingOf({ numbers }: Pick<Needs, 'numbers'>, caller: Submitter): Reading {
  const { company_id } = caller
  return {
    country: numbers.country(company_id),
    kept: (written) => numbers.kept(company_id, written),
    usual: usualClass(caller),
  }
}

/** A task was stored, or was refused for this reason. */
type Outcome = TaskReceipt | RefusedTask
type RefusedTask = { guid: string | null; status: 'refused'; refusal: Refusal }

function refused(guid: string | null, refusal: Refusal): RefusedTask {
  return { guid, status: 'refused', refusal }
}

function resultOf({ guid, status, refusal }: RefusedTask): TaskResult {
  const { code, message: detail, params, fields, field_codes } = refusal
  return { guid, status, code, detail, params, fields, field_codes }
}

async function parseOne(
  { draft, faults }: DraftOrFaults,
  task: unknown,
  check: CallbackCheck,
): Promise<Parsed> {
  if (!draft) return { guid: guidOf(task), faults }
  return { draft, why: draft.callback_url === null ? undefined : await check(draft.callback_url) }
}

/** Counts and announces the stored tasks, once for all callers of the transaction. Some wait for these `devices`. */
function announce(
  { live, wakeFor, featureMetrics }: Needs,
  submitted: readonly Pick<Submitted, 'caller'>[],
  outcomes: readonly Outcome[],
  devices: readonly DeviceAt[],
): void {
  const companies = new Set<number>()
  const counts = { received: 0, repeated: 0, refused: 0 }
  for (const [index, { status }] of outcomes.entries()) {
    counts[status]++
    if (status === 'received') companies.add(submitted[index]!.caller.company_id)
  }
  for (const [result, count] of Object.entries(counts))
    if (count > 0) featureMetrics.handedIn.inc({ result }, count)
  if (counts.received === 0) return
  crashPoint('stored')
  featureMetrics.messages.inc({ state: 'queued' }, counts.received)
  for (const company_id of companies) live.changed(company_id, 'tasks', 'logs')
  wakeFor(devices)
}

type Submitted = { caller: Submitter; parsed: Parsed }

type DeviceAt = { id: number; company_id: number }

/** The outcomes, and the devices for which some of the tasks wait. */
type Stored = { outcomes: Outcome[]; devices: DeviceAt[] }

/** Stores the tasks of several callers, one caller after the other. */
async function storeAll(tx: Tx, needs: Storing, submitted: readonly Submitted[]): Promise<Stored> {
  const devices: DeviceAt[] = []
  const outcomes = Array<Outcome>(submitted.length)
  for (const indexes of Map.groupBy(submitted.keys(), (index) => nameOf(submitted[index]!.caller)).values()) {
    const { caller } = submitted[indexes[0]!]!
    const parsed = indexes.map((index) => submitted[index]!.parsed)
    const stored = await store(tx, needs, caller, parsed)
    for (const [at, outcome] of stored.outcomes.entries()) outcomes[indexes[at]!] = outcome
    devices.push(...stored.devices)
  }
  return { outcomes, devices }
}

function nameOf(caller: Submitter): string {
  const by = 'api_key_id' in caller ? `key ${caller.api_key_id}` : `user ${caller.user_id}`
  return `${by} of ${caller.company_id}`
}

/** A task and the reason why its callbacks may not go to its URL, or the faults of an invalid task. */
type Parsed =
  | { draft: Draft; why: Fault | undefined; faults?: never }
  | { guid: string | null; faults: Faults; draft?: never }

type Storing = Pick<Needs, 'clock' | 'destinations' | 'taskQuota' | 'numbers' | 'companyRoutes'>

async function store(
  tx: Tx,
  { clock, destinations, taskQuota, numbers, companyRoutes }: Storing,
  caller: Submitter,
  parsed: readonly Parsed[],
  which: 'valid ones' | 'all or none' = 'valid ones',
): Promise<Stored> {
  const { company_id } = caller
  const { now_ms, now, day } = nowOf(clock)
  const drafts = parsed.flatMap(({ draft }) => draft ?? [])
  const guids = drafts.map(({ guid }) => guid)
  const recipients = drafts.map(({ message_to }) => message_to)
  const ready = drafts.filter(({ not_before }) => not_before === null || not_before <= now)
  // PostgreSQL answers them in this order, and all with one round trip.
  const [settings, known, blocked, unconsented, usual, ids] = await Promise.all([
    shareSettingsLock(tx, company_id),
    knownGuids(tx, company_id, guids),
    optedOut(tx, company_id, recipients),
    numbersWithoutConsent(tx, company_id, drafts),
    placesWithLastDevice(tx, company_id, ready, { now_ms, now, day }),
    newIds(tx, drafts.length),
  ])
  // Duplicates are rare, and a map of all guids would cost more than the rest of this function.
  const any_known = known.size > 0 || comesTwice(guids)
  const rules = await destinations.of(tx, company_id, settings.destinations)
  const routes = await companyRoutes.of(tx, company_id, settings.routes)
  const routable = (draft: Draft) => asRoutable(draft, caller)
  const routeCheck = routes && (await openRouteCheck(tx, company_id, routes))
  if (routes) await dropForbidden(tx, routes, usual, routable)
  const allowed = rules && (await openTaskCheck(tx, clock, company_id, rules, drafts))
  const quota_left = await taskQuota.take(tx, company_id, drafts.length, now)
  const read = (number: string) => numbers.kept(company_id, number)
  const fresh: { draft: Draft; times: Times }[] = []
  const outcomes = parsed.map((item): Outcome => {
    if (item.faults) return invalid(item.guid, item.faults)
    const { draft, why } = item
    const { guid, message_to } = draft
    const forbidden = refuseClass(caller, draft)
    if (forbidden) return refused(guid, forbidden)
    const found = any_known ? known.get(guid) : undefined
    if (found) return isSame(found, draft, read) ? { guid, status: 'repeated' } : taken(guid)
    if (why !== undefined) return invalid(guid, { callback_url: why })
    const times = readTimes(draft, now_ms)
    if (times.faults) return invalid(guid, times.faults)
    const block = blocked.size > 0 ? blocked.get(message_to) : undefined
    if (block) return refused(guid, blockRefusal(message_to, block))
    if (unconsented.size > 0 && needsConsent(draft) && unconsented.has(message_to))
      return refused(guid, consentRefusal(message_to))
    if (fresh.length >= quota_left) return refused(guid, quotaReached('waiting_tasks'))
    const refusal = routeCheck?.(routable(draft)) ?? allowed?.refuse(draft)
    if (refusal) return refused(guid, refusal)
    if (any_known) known.set(guid, { ...draft, task: 1 })
    fresh.push({ draft, times })
    return { guid, status: 'received' }
  })
  if (which === 'all or none' && outcomes.some(({ status }) => status === 'refused'))
    return { outcomes, devices: [] }
  await allowed?.write()
  const hours = await numbers.rulesIn(tx, company_id, settings)
  const joined: LaneChanges = new Map()
  // Most tasks have the same times, so each time is formatted only once.
  const instants = new Map<number, string>()
  const at = (ms: number) => instants.getOrInsertComputed(ms, instant)
  const rows = fresh.map(({ draft, times }) => {
    const until_ms = times.due_ms > now_ms ? times.due_ms : closedUntil(hours, draft, now_ms)
    const later = until_ms === undefined ? undefined : laterLane(until_ms)
    const place =
      later ?? usual.get(draft) ?? homePlace(routable(draft), routes, { ready_ms: now_ms, now_ms })
    joinLane(joined, place.lane)
    return rowOf(draft, times, place, caller, now_ms, at)
  })
  await addMessages(tx, clock, rows, ids)
  await countLanes(tx, company_id, joined)
  return { outcomes, devices: devicesOf(joined).map((id) => ({ id, company_id })) }
}

function asRoutable(draft: Draft, caller: Submitter) {
  const { message_to, priority, guid, from_number } = draft
  const api_key_id = 'api_key_id' in caller ? caller.api_key_id : null
  return { message_to, priority, guid, from_number, api_key_id, task: 1, via: null } as const
}

/** A message from before numbers were kept as E.164 may have them as they were written. */
function isSame(known: KnownMessage, draft: Draft, read: (number: string) => string | undefined): boolean {
  return (
    known.task === 1 &&
    contentColumns.every((field) => {
      if (known[field] === draft[field]) return true
      const isNumber = field === 'message_to' || field === 'from_number'
      return isNumber && read(known[field] ?? '') === draft[field]
    })
  )
}

function comesTwice(guids: readonly string[]): boolean {
  const sorted = guids.toSorted()
  return sorted.some((guid, index) => guid === sorted[index + 1])
}

type Times = { due_ms: number; expires_ms: number }

function rowOf(
  draft: Draft,
  { due_ms, expires_ms }: Times,
  { lane, lane_until }: Place,
  caller: Submitter,
  now_ms: number,
  at: (ms: number) => string,
) {
  return {
    // Copied field by field: a spread is slower, and this runs for every task.
    guid: draft.guid,
    message_to: draft.message_to,
    message: draft.message,
    parts: draft.parts,
    from_number: draft.from_number,
    silent: draft.silent,
    sent_stamp: draft.sent_stamp,
    callback_url: draft.callback_url,
    asked_times: draft.asked_times,
    lane,
    lane_until,
    company_id: caller.company_id,
    priority: draft.priority,
    task: 1,
    api_key_id: 'api_key_id' in caller ? caller.api_key_id : null,
    queued_by: 'user_id' in caller ? caller.user_id : null,
    queued_by_name: 'user_id' in caller ? caller.name : null,
    queue_timestamp: at(now_ms),
    due_at: at(due_ms),
    expires_at: at(expires_ms),
  } as const
}

type UrlCheck = (url: string) => Promise<string | undefined>

/**
 * Makes a check that says why callbacks may not go to a URL. Only API keys can sign callbacks, so a session may not
 * give a callback URL.
 */
function openCallbackCheck(needs: Needs, caller: Submitter): CallbackCheck {
  if (!('api_key_id' in caller)) {
    const why = 'needs an API key: the secret of the key signs the callbacks'
    return () => Promise.resolve(fault(why, 'needs_api_key', {}))
  }
  let check: UrlCheck | undefined
  return async (url) => {
    const address = readTarget(url).url
    if (address === null) return undefined
    const why = await (check ??= needs.urlCheck(caller.company_id))(address)
    return why === undefined ? undefined : fault(why, 'address_refused', {})
  }
}

type CallbackCheck = (url: string) => Promise<Fault | undefined>

function invalid(guid: string | null, fields: Faults): RefusedTask {
  return refused(guid, invalidFields(fields))
}

function taken(guid: string): RefusedTask {
  const detail = `There is another task or message ${guid} already, with other content. Nothing was changed; use a new guid for a new task.`
  return refused(guid, new Refusal('guid_taken', detail))
}

/** The guid as given; null if it is not a string. */
function guidOf(task: unknown): string | null {
  const { guid } = Object(task) as { guid?: unknown }
  return typeof guid === 'string' ? guid : null
}
