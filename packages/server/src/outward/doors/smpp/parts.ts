import { randomUUID } from 'node:crypto'
import { type Clock, instant } from '#server/core/clock.ts'
import type { KeyCaller } from '#server/core/context.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { doorStates } from '#server/outward/doors/states.ts'
import { taskRowByGuid } from '#server/tasks/task.ts'
import { SmppFault, STATUS } from './codec/commands.ts'
import { writeReceipt } from './codec/deliver.ts'
import type { PartPlace, Piece } from './codec/parts.ts'
import { anyOldPart, type PartRow, partStore, removeOldParts } from './parts.store.ts'
import { storeDelivery } from './storing.ts'

type Needs = { db: Database; clock: Clock }

/** An SMS whose parts are not complete after this time is given up. */
const WITHIN_MS = 10 * 60_000
/** A key may have this many parts of incomplete SMS. One that completes its SMS is taken beyond it. */
const MOST_PARTS = 10_000
/** Removed only then: a part that arrives at the last moment may still complete its SMS. */
const SWEPT_MS = WITHIN_MS + 10_000
const AT_ONCE = 500

/** The SMS to which a part belongs. `parts`: all of them in order, if this one completes it. */
type Gathered = { guid: string; repeated: boolean; parts: Piece[] | undefined; registered: string }

/**
 * Stores a part. A part that repeats a stored one is stored once. One with another content and the same number begins
 * the next SMS with that reference. Refuses with the status `queue_full`, or with the code `disk_full`.
 */
export async function addPart(
  { db, clock, diskSpace }: Needs & { diskSpace: Pick<DiskSpace, 'refuseIfShort'> },
  { company_id, api_key_id }: KeyCaller,
  { octets, data_coding, part }: Piece & { part: PartPlace },
  registered: number,
): Promise<Gathered> {
  diskSpace.refuseIfShort()
  const { reference, n, of } = part
  const now_ms = clock.now()
  const hex = octets.toString('hex')
  return db.write(async (tx) => {
    const store = partStore(tx, api_key_id)
    await store.hold()
    const rows = await store.open(reference, instant(now_ms - WITHIN_MS))
    const bySms = Array.from(Map.groupBy(rows, ({ guid }) => guid).values())
    const isRepeat = (row: PartRow) => row.n === n && row.octets === hex && row.data_coding === data_coding
    const before = bySms.find((sms) => sms.some(isRepeat))
    if (before) return gathered(before, of, true)
    const found = bySms.findLast((sms) => sms.every((row) => row.n !== n)) ?? []
    const completes = found.length + 1 === of
    if (!completes && (await store.hasMany(MOST_PARTS))) throw new SmppFault(STATUS.queue_full)
    const { guid = randomUUID(), began_at = instant(now_ms) } = found[0] ?? {}
    const row = { guid, n, data_coding, octets: hex, registered, began_at }
    await store.insert({ ...row, company_id, reference })
    return gathered([...found, row], of, false)
  })
}

function gathered(rows: readonly PartRow[], of: number, repeated: boolean): Gathered {
  const sorted = rows.toSorted((a, b) => a.n - b.n)
  const parts = sorted.map(({ octets, data_coding }) => ({
    octets: Buffer.from(octets, 'hex'),
    data_coding,
    part: undefined,
  }))
  return {
    guid: rows[0]!.guid,
    repeated,
    parts: rows.length === of ? parts : undefined,
    registered: sorted.map((row) => row.registered).join(''),
  }
}

/** A part is told as expired unless its SMS was handed in just before a crash. */
async function tellExpired(
  tx: Tx,
  clock: Clock,
  part: Awaited<ReturnType<typeof removeOldParts>>[number],
): Promise<void> {
  const { company_id, api_key_id, guid, n, registered, began_at } = part
  if (registered === 0 || (await taskRowByGuid(tx, company_id, guid)) !== undefined) return
  const { from, to } = addressesOf(part)
  const { stat, message_state } = doorStates.expired.smpp
  const created_at = instant(clock.now())
  const times = { submitted_at: began_at, done_at: created_at }
  const name = `${guid}.${n}`
  const body = writeReceipt({ message_id: name, from, to, ...times, stat, message_state, written: '' })
  await storeDelivery(tx, { company_id, api_key_id, name, body, created_at })
}

function addressesOf({ reference }: { reference: string }): { from: string; to: string } {
  const [from = '', to = ''] = JSON.parse(reference) as string[]
  return { from, to }
}

/** Removes some parts of SMS that were not completed in time. Resolves to whether more may be left. */
export async function expireParts({ db, clock }: Needs): Promise<boolean> {
  const before = instant(clock.now() - SWEPT_MS)
  if (!(await anyOldPart(db.read, before))) return false
  return db.write(async (tx) => {
    const removed = await removeOldParts(tx, before, AT_ONCE)
    for (const part of removed) await tellExpired(tx, clock, part)
    return removed.length === AT_ONCE
  })
}
