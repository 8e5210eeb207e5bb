import type { NewTask, TaskReceipt, TaskResult } from '@sdd/contract/tasks.ts'
import { type Addresses, openUrlCheck } from '#server/callbacks/addresses.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { type Faults, inWords } from '#server/core/parsing.ts'
import { pass } from '#server/core/points.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openGathering } from '#server/database/gathering.ts'
import type { Database } from '#server/database/open.ts'
import type { Room } from '#server/database/room.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Figures } from '#server/figures.ts'
import type { Live } from '#server/live/live.ts'
import { addMessages } from '#server/messages/moving.ts'
import { optedOut, whyNot } from '#server/opt-outs/opt-outs.ts'
import { shareSettings } from '#server/settings/settings.ts'
import { type Draft, readDraft, readTimes } from './draft.ts'
import { countLanes, homeLane, joinLane, type LaneChanges, laterLane, type Place } from './lanes.ts'
import { usualPlaces } from './recipients.ts'
import { knownGuids } from './store.ts'

type Needs = {
  db: Database
  room: Pick<Room, 'refuseIfShort'>
  clock: Clock
  live: Live
  addresses: Addresses
  wake(): void
  figures: Pick<Figures, 'messages' | 'handedIn'>
}
type Asker = Caller | KeyCaller

/** What the console sends goes before tasks. */
const TASK_PRIORITY = 1

/** Tasks handed in one by one that one work stores: bounds how long it lasts. */
const AT_ONCE = 200

/**
 * Hands in one task and resolves once it is on disk, with those that others hand in at the same moment, or was there
 * before with the same content. Refuses, with nothing stored: `invalid`, `guid_taken`, `opted_out`, `disk_full`.
 */
export function openHandingIn(needs: Needs): (caller: Asker, task: NewTask) => Promise<TaskReceipt> {
  const { db, clock, room } = needs
  const storeWithOthers = openGathering(db, AT_ONCE, (tx, asked: readonly Asked[]) =>
    storeAll(tx, clock, asked),
  )

  return async (caller, task) => {
    room.refuseIfShort()
    const [read] = await readAll(needs, caller, [task])
    const results = await storeWithOthers([{ caller, read: read! }])
    announce(needs, caller, results)
    const { guid, status, code, detail, fields } = results[0]!
    if (status !== 'refused') return { guid: guid!, status }
    throw new Refusal(code as Refusal['code'], detail!, fields && { fields })
  }
}

/**
 * Hands in tasks, each by itself: the good ones are stored together, each bad one is refused. Resolves to what became
 * of each, in their order, once they are on disk; `disk_full` for all of them where there is no room. Of one guid twice
 * the second repeats the first, or is refused.
 */
export async function handIn(
  needs: Needs,
  caller: Asker,
  written: readonly unknown[],
): Promise<TaskResult[]> {
  const { db, room, clock } = needs
  room.refuseIfShort()
  const read = await readAll(needs, caller, written)
  const results = await db.write((tx) => store(tx, clock, caller, read))
  announce(needs, caller, results)
  return results
}

/** Before the transaction: it looks up names. */
function readAll(needs: Needs, caller: Asker, written: readonly unknown[]): Promise<Read[]> {
  let check: UrlCheck | undefined
  const refused = (url: string) => (check ??= openCallbackCheck(needs, caller))(url)
  return Promise.all(
    written.map(async (task): Promise<Read> => {
      const { draft, faults } = readDraft(task)
      if (!draft) return { guid: guidOf(task), faults }
      return { draft, why: draft.callback_url === null ? undefined : await refused(draft.callback_url) }
    }),
  )
}

function announce({ live, wake, figures }: Needs, caller: Asker, results: readonly TaskResult[]): void {
  const received = results.filter(({ status }) => status === 'received').length
  for (const { status } of results) figures.handedIn.inc({ result: status })
  if (received === 0) return
  pass('stored')
  figures.messages.inc({ state: 'queued' }, received)
  live.changed(caller.company_id, 'tasks', 'logs')
  wake()
}

type Asked = { caller: Asker; read: Read }

/** What several hand in: each asker's in one go. */
async function storeAll(tx: Tx, clock: Clock, asked: readonly Asked[]): Promise<TaskResult[]> {
  const results = new Map<Asked, TaskResult>()
  for (const ours of Map.groupBy(asked, ({ caller }) => nameOf(caller)).values()) {
    const stored = await store(
      tx,
      clock,
      ours[0]!.caller,
      ours.map(({ read }) => read),
    )
    for (const [place, one] of ours.entries()) results.set(one, stored[place]!)
  }
  return asked.map((one) => results.get(one)!)
}

function nameOf(caller: Asker): string {
  const by = 'api_key_id' in caller ? `key ${caller.api_key_id}` : `user ${caller.user_id}`
  return `${by} of ${caller.company_id}`
}

/** A task that was read, with why its callbacks may not go where it says; or what is wrong with it. */
type Read =
  | { draft: Draft; why: string | undefined; faults?: never }
  | { guid: string | null; faults: Faults; draft?: never }

async function store(tx: Tx, clock: Clock, caller: Asker, read: readonly Read[]): Promise<TaskResult[]> {
  const { company_id } = caller
  const now_ms = clock.now()
  const drafts = read.flatMap(({ draft }) => draft ?? [])
  await shareSettings(tx, company_id)
  const known = await knownGuids(
    tx,
    company_id,
    drafts.map(({ guid }) => guid),
  )
  const blocked = await optedOut(
    tx,
    company_id,
    drafts.map(({ message_to }) => message_to),
  )
  const fresh: { draft: Draft; times: Times }[] = []
  const results = read.map((one): TaskResult => {
    if (one.faults) return invalid(one.guid, one.faults)
    const { draft, why } = one
    const { guid, content_hash, message_to } = draft
    if (known.has(guid)) return known.get(guid) === content_hash ? { guid, status: 'repeated' } : taken(guid)
    if (why !== undefined) return invalid(guid, { callback_url: why })
    const times = readTimes(draft, now_ms)
    if (times.faults) return invalid(guid, times.faults)
    const block = blocked.get(message_to)
    if (block) return { guid, status: 'refused', code: 'opted_out', detail: whyNot(message_to, block) }
    known.set(guid, content_hash)
    fresh.push({ draft, times })
    return { guid, status: 'received' }
  })
  const ready = fresh.filter(({ times }) => times.due_ms <= now_ms).map(({ draft }) => draft)
  const usual = await usualPlaces(tx, company_id, ready, now_ms)
  const joined: LaneChanges = new Map()
  const rows = fresh.map(({ draft, times }) => {
    const later = times.due_ms > now_ms ? laterLane(times.due_ms) : undefined
    const place = later ?? usual.get(draft) ?? { lane: homeLane(draft), lane_until: null }
    joinLane(joined, place.lane)
    return rowOf(draft, times, place, caller, now_ms)
  })
  await addMessages(tx, clock, rows)
  await countLanes(tx, company_id, joined)
  return results
}

type Times = { due_ms: number; expires_ms: number }

function rowOf(
  { not_before: _, ...draft }: Draft,
  { due_ms, expires_ms }: Times,
  place: Place,
  caller: Asker,
  now_ms: number,
) {
  return {
    ...draft,
    ...place,
    company_id: caller.company_id,
    priority: TASK_PRIORITY,
    task: 1,
    api_key_id: 'api_key_id' in caller ? caller.api_key_id : null,
    queued_by: 'user_id' in caller ? caller.user_id : null,
    queue_timestamp: instant(now_ms),
    error_block: 0,
    state: 'queued',
    step: 'waiting',
    attempt: 0,
    due_at: instant(due_ms),
    expires_at: instant(expires_ms),
  } as const
}

type UrlCheck = (url: string) => Promise<string | undefined> | string

/** Says why callbacks may not go to a URL. Those of a session have no key whose secret could sign them. */
function openCallbackCheck(needs: Needs, caller: Asker): UrlCheck {
  if ('api_key_id' in caller) return openUrlCheck(needs)
  return () => 'needs an API key: the secret of the key signs the callbacks'
}

function invalid(guid: string | null, fields: Faults): TaskResult {
  return { guid, status: 'refused', code: 'invalid', detail: inWords(fields), fields }
}

function taken(guid: string): TaskResult {
  const detail = `There is another task or message ${guid} already, with other content. Nothing was changed; use a new guid for a new task.`
  return { guid, status: 'refused', code: 'guid_taken', detail }
}

/** As it was given, where that can be told. */
function guidOf(task: unknown): string | null {
  const { guid } = Object(task) as { guid?: unknown }
  return typeof guid === 'string' ? guid : null
}
