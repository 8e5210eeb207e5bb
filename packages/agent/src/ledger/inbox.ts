import { createHash } from 'node:crypto'
import { InboxSms } from '@sdd/contract/fleet/device-protocol.ts'
import type { Keeper, ReceivedPart } from '#agent/driver.ts'
import type { LedgerFile } from './file.ts'
import type { Outbox } from './outbox.ts'
import { instantOr } from './reports.ts'

type Sms = Parameters<Keeper['received']>[0]

export type Inbox = {
  /** False if that id was received before. */
  receive: (sms: Sms, at: string) => boolean
  /** True if this part completes the long SMS. */
  receivePart: (part: ReceivedPart, at: string) => boolean
  /** Gives up on the missing parts of old long SMS: hands them on incomplete and marked. Returns how many. */
  giveUpParts: (at: string) => number
}

/** Networks send the parts of one SMS within seconds. If the phone was off, they arrive once it is on again. */
export const PARTS_WITHIN_MS = 6 * 3_600_000

/** An SMS without a time of its own that is read again later than this is another one with the same text. */
const TIMELESS_WITHIN_MS = 3_600_000

/** `text` is JSON, because SQLite cannot store half a surrogate pair, and the other half may be in the next part. */
type Piece = { n: number; id: string; text: string; at: string }
type LongSms = { n: number; sender: string; of: number; sim: string | null }

export function openInbox({ file, uid, outbox }: { file: LedgerFile; uid: string; outbox: Outbox }): Inbox {
  const { db, write } = file
  const see = db.prepare('insert into received (uid, id, at) values (?, ?, ?) on conflict do nothing')
  const isKnown = db.prepare('select 1 from received where uid = ? and id = ?')
  const seeAgain = db.prepare('update received set at = ? where uid = ? and id = ? and at <= ?')
  const open = db.prepare(`
    select n, sender, of, sim from long_sms
    where uid = ? and sender = ? and ref = ? and ref_bits = ? and of = ? and sim is ?
      and not exists (select 1 from long_sms_part p where p.long_sms = long_sms.n and p.n = ?)
    order by n limit 1`)
  const begin = db.prepare(`
    insert into long_sms (uid, sender, ref, ref_bits, of, sim, kept_at) values (?, ?, ?, ?, ?, ?, ?)
    returning n, sender, of, sim`)
  const addPiece = db.prepare('insert into long_sms_part (long_sms, n, id, text, at) values (?, ?, ?, ?, ?)')
  const pieces = db.prepare('select n, id, text, at from long_sms_part where long_sms = ? order by n')
  const finish = db.prepare('delete from long_sms where n = ?')
  const old = db.prepare('select n, sender, of, sim from long_sms where uid = ? and kept_at <= ? order by n')

  /** The id under which the SMS is handed on; undefined if it was received before. */
  function newId(sms: Pick<Sms, 'id' | 'former_id' | 'timeless'>, at: string): string | undefined {
    const { id, former_id, timeless } = sms
    if (see.run(uid, id, at).changes === 1)
      return former_id !== undefined && isKnown.get(uid, former_id) ? undefined : id
    if (!timeless) return undefined
    const before = new Date(Date.parse(at) - TIMELESS_WITHIN_MS).toISOString()
    return seeAgain.run(at, uid, id, before).changes === 1 ? `${id}-${Date.parse(at)}` : undefined
  }

  function deliver(long: LongSms, at: string): void {
    const parts = (pieces.all(long.n) as Piece[]).map((piece) => ({
      ...piece,
      text: JSON.parse(piece.text) as string,
    }))
    const id = createHash('sha256').update(parts.map(({ id }) => id).join('\n'))
    outbox.addSms(
      inboxSms(
        {
          id: `long-${id.digest('hex')}`,
          from: long.sender,
          text: joinParts(parts, long.of).toWellFormed(),
          at: parts.map((part) => part.at).toSorted()[0] ?? at,
          ...(long.sim !== null && { sim: long.sim }),
        },
        at,
      ),
    )
    finish.run(long.n)
  }

  return {
    receive: (sms, at) =>
      write(() => {
        const id = newId(sms, at)
        if (id === undefined) return false
        outbox.addSms(inboxSms({ ...sms, id }, at))
        return true
      }),
    receivePart: (part, at) =>
      write(() => {
        const id = newId(part, at)
        if (id === undefined) return false
        const { from, text, at: sent_at, sim = null, concat } = part
        const { ref, refBits, n, of } = concat
        const long = (open.get(uid, from, ref, refBits, of, sim, n) ??
          begin.get(uid, from, ref, refBits, of, sim, at)) as LongSms
        addPiece.run(long.n, n, id, JSON.stringify(text), instantOr(sent_at, at))
        if (pieces.all(long.n).length < of) return false
        deliver(long, at)
        return true
      }),
    giveUpParts(at) {
      const before = new Date(Date.parse(at) - PARTS_WITHIN_MS).toISOString()
      const given_up = old.all(uid, before) as LongSms[]
      if (given_up.length > 0) write(() => given_up.forEach((long) => deliver(long, at)))
      return given_up.length
    },
  }
}

/** The text in order, with a mark at each gap, and the number of missing parts at the end. */
function joinParts(parts: readonly Pick<Piece, 'n' | 'text'>[], of: number): string {
  const missing = of - parts.length
  if (missing === 0) return parts.map(({ text }) => text).join('')
  const texts = Array.from({ length: of }, (_, i) => parts.find(({ n }) => n === i + 1)?.text ?? ' […] ')
  return `${texts
    .join('')
    .replace(/( \[…\] )+/g, ' […] ')
    .trim()} [${missing} of ${of} parts missing]`
}

/** Limits each field to the contract, so that the server never refuses an SMS because of unusual input. */
function inboxSms({ from, ...sms }: Sms, now: string): InboxSms {
  return { ...smsFields(sms, now), from: from.slice(0, 64) || 'unknown' }
}

export function smsFields({ id, text, at, sim }: Omit<Sms, 'from'>, now: string): Omit<InboxSms, 'from'> {
  return {
    id: id.length <= 128 ? id : createHash('sha256').update(id).digest('hex'),
    text: InboxSms.shape.text.parse(text),
    at: instantOr(at, now),
    ...(sim !== undefined && { sim: sim.slice(0, 64) }),
  }
}
