import { Report, UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import { measureText } from '@sdd/sms/segments.ts'
import type { DeliveryReport } from '#agent/driver.ts'
import type { LedgerFile } from './file.ts'
import { sameNumber } from './numbers.ts'
import type { Outbox } from './outbox.ts'
import { deliveryReport } from './reports.ts'

export type Deliveries = {
  /**
   * Finds the part that a delivery report belongs to. Reports the message once all its parts are delivered, or one
   * certainly is not. `repeated`: that part has its report already. `unmatched`: kept for a while, because the driver
   * may announce the part later.
   */
  take: (delivery: DeliveryReport, at: string) => 'matched' | 'repeated' | 'unmatched' | 'not an end'
  /** Call it inside a `write` when a part was sent or a command is over. Applies the reports that arrived earlier. */
  settle: (command: number, at: string) => void
}

type Part = { command: number; n: number; of: number; number: string; delivery: string | null; text: string }

/** An SMS centre gives up after its validity period of some days. Later, the reference belongs to another message. */
const REPORTS_WITHIN_MS = 7 * 86_400_000
/** How late a report without a usable reference may be. */
const NAMELESS_WITHIN_MS = 3 * 86_400_000
/** How much earlier than the driver's `partSent` a report may arrive. */
const STRAY_WITHIN_MS = 10 * 60_000

/**
 * A modem's reference is one octet and starts over after 255. Some modems give none or a wrong one, and the number may
 * be written in another form. So a report is matched by reference and number, newest first. Then it is matched by the
 * number only, for a part without a reference, if no other message is possible. Last, it is matched by the reference only,
 * if one part has it. A report that is kept already never counts for another message.
 */
export function openDeliveries({
  file,
  uid,
  outbox,
}: {
  file: LedgerFile
  uid: string
  outbox: Outbox
}): Deliveries {
  const { db, write } = file
  const columns = 'p.command, p.n, p.of, p.delivery, c.number, c.text'
  const named = db.prepare(`
    select ${columns} from part p join command c on c.n = p.command
    where c.uid = ? and p.reference = ? and p.sent_at >= ? order by p.sent_at desc, p.command desc`)
  const nameless = db.prepare(`
    select ${columns} from part p join command c on c.n = p.command
    where c.uid = ? and p.reference is null and p.delivery is null and c.silent = 0 and p.sent_at >= ?
    order by p.command, p.n`)
  // `cross join`: by the index of references, not through all commands.
  const alike = db.prepare(`
    select p.command from part p cross join command c on c.n = p.command
    where c.uid = ? and (p.reference = ? or p.reference is null) and p.sent_at >= ?
      and p.delivery ->> 'reference' = ? and p.delivery ->> 'to' is ? and p.delivery ->> 'state' = ?
      and p.delivery ->> 'at' = ?`)
  const uncertain = db.prepare(`
    select n as command, number, text from command
    where uid = ? and step = 'over' and sending_at >= ? and report ->> 'code' = '${UNKNOWN_OUTCOME}'`)
  const partsOf = db.prepare('select * from part where command = ? order by n')
  const note = db.prepare('update part set delivery = ? where command = ? and n = ?')
  const addPart = db.prepare(`
    insert into part (command, n, of, reference, sent_at, delivery) values (?, ?, ?, ?, ?, ?)`)
  const commandOf = db.prepare('select guid, attempt, number, step, report from command where n = ?')
  const setReport = db.prepare('update command set report = ? where n = ?')
  const keepStray = db.prepare(
    'insert into stray_delivery (uid, reference, report, kept_at) values (?, ?, ?, ?)',
  )
  const straysFor = db.prepare(`
    select s.n as stray, s.report, p.n as part from stray_delivery s join part p on p.reference = s.reference
    where s.uid = ? and p.command = ? and p.delivery is null and s.kept_at >= ? order by s.n`)
  const dropStray = db.prepare('delete from stray_delivery where n = ?')

  function take(delivery: DeliveryReport, at: string): ReturnType<Deliveries['take']> {
    if (delivery.state === 'trying') return 'not an end'
    const { reference, to, unique = false } = delivery
    const known = named.all(uid, reference, since(at, REPORTS_WITHIN_MS)) as Part[]
    if (isRepeat(delivery, known, at)) return 'repeated'
    const same = to === null ? known.slice(0, 1) : known.filter(({ number }) => sameNumber(number, to))
    const fitting = known.length === 1 ? known : same
    const isOpen = (part: Part): boolean => part.delivery === null
    const part =
      same.find(isOpen) ??
      (unique && known.length > 0 ? undefined : byNumber(delivery, at)) ??
      fitting.find(isOpen)
    if (part) {
      if (part.delivery === null) note.run(JSON.stringify(delivery), part.command, part.n)
      conclude(part.command, at)
      return 'matched'
    }
    if (fitting.length > 0) return 'repeated'
    keepStray.run(uid, reference, JSON.stringify(delivery), at)
    return 'unmatched'
  }

  /** Whether this very report is kept. Parts of one message may have one reference, and arrive in the same second. */
  function isRepeat({ reference, to, state, at: then }: DeliveryReport, known: Part[], at: string): boolean {
    const row = [uid, reference, since(at, REPORTS_WITHIN_MS), reference, to, state, then]
    const kept = alike.all(...row) as Pick<Part, 'command'>[]
    const isOpen = (command: number): boolean =>
      known.some((part) => part.command === command && part.delivery === null)
    return kept.length > 0 && !kept.some(({ command }) => isOpen(command))
  }

  /** The part of the only message to that number that has a part without a reference. */
  function byNumber(delivery: DeliveryReport, at: string): Part | undefined {
    const { to } = delivery
    if (to === null) return undefined
    const from = since(at, NAMELESS_WITHIN_MS)
    const parts = (nameless.all(uid, from) as Part[]).filter(({ number }) => sameNumber(number, to))
    const doubtful = (uncertain.all(uid, from) as Pick<Part, 'command' | 'number' | 'text'>[]).filter(
      ({ number, command }) => sameNumber(number, to) && !parts.some((part) => part.command === command),
    )
    const commands = new Set([...parts, ...doubtful].map(({ command }) => command))
    if (commands.size !== 1) return undefined
    return parts[0] ?? partInDoubt(doubtful[0]!, delivery, at)
  }

  /**
   * For a message with an unknown outcome: records the first part without a row, because the report proves that it went
   * out.
   */
  function partInDoubt(
    { command, number, text }: Pick<Part, 'command' | 'number' | 'text'>,
    delivery: DeliveryReport,
    at: string,
  ): Part | undefined {
    const rows = partsOf.all(command) as { n: number; of: number }[]
    const of = rows[0]?.of ?? measureText(text).segments
    const n = Array.from({ length: of }, (_, i) => i + 1).find((n) => !rows.some((row) => row.n === n))
    if (n === undefined) return undefined
    addPart.run(command, n, of, null, at, JSON.stringify(delivery))
    return { command, n, of, number, text, delivery: '' }
  }

  /** Reports the message if its parts' reports suffice. Only for a message that is sent or has an unknown outcome. */
  function conclude(command: number, at: string): void {
    const row = commandOf.get(command) as { guid: string; attempt: number; step: string; report: string }
    const report = Report.parse(JSON.parse(row.report))
    const open = report.state === 'sent' || report.code === UNKNOWN_OUTCOME
    if (row.step !== 'over' || !open) return
    const parts = partsOf.all(command) as { of: number; delivery: string | null }[]
    const deliveries = parts.flatMap(({ delivery }) =>
      delivery === null ? [] : [JSON.parse(delivery) as DeliveryReport],
    )
    const lost = deliveries.find(({ state }) => state === 'undelivered')
    const last = deliveries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).at(-1)
    const whole = deliveries.length === parts[0]?.of
    const telling = lost ?? (whole ? last : undefined)
    if (telling === undefined) return
    const next = deliveryReport(row, telling, at)
    setReport.run(JSON.stringify(next), command)
    outbox.addReport(next)
  }

  return {
    take: (delivery, at) => write(() => take(delivery, at)),
    settle(command, at) {
      const { number } = commandOf.get(command) as { number: string }
      const strays = straysFor.all(uid, command, since(at, STRAY_WITHIN_MS)) as {
        stray: number
        report: string
        part: number
      }[]
      for (const { stray, report, part } of strays) {
        const { to } = JSON.parse(report) as DeliveryReport
        if (to !== null && !sameNumber(to, number)) continue
        note.run(report, command, part)
        dropStray.run(stray)
      }
      conclude(command, at)
    },
  }
}

function since(at: string, ms: number): string {
  return new Date(Date.parse(at) - ms).toISOString()
}
