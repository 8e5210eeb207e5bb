import type { InboxSms, Report, SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { fingerprint } from '#simulator/random.ts'

/** One line of the ledger's file. */
export type LedgerLine =
  | { kind: 'seen'; n: number; uid: string; at: string; command: SendCommand }
  | { kind: 'forbidden'; uid: string; guid: string }
  | { kind: 'sending'; uid: string; guid: string; attempt: number }
  | { kind: 'on_air'; uid: string; guid: string; attempt: number; at: string }
  | { kind: 'report'; n: number; uid: string; report: Report }
  | { kind: 'inbox'; n: number; uid: string; sms: InboxSms }
  | { kind: 'acknowledged'; uid: string; ns: number[] }

/** A device's record of one attempt at one message. */
export type Entry = {
  readonly uid: string
  readonly guid: string
  readonly attempt: number
  /** A fingerprint of to, text, from, silent and expires_at: equal for equal commands. */
  readonly content: number
  /** SMS parts of the text. */
  readonly parts: number
  readonly seen_at: number
  /** The radio has begun; without an outcome this attempt is in doubt. */
  sending: boolean
  /** How often the network accepted it; must never exceed 1. */
  on_air: number
  /** The latest report. */
  report: Report
  /** The command, until the entry is settled. */
  command: SendCommand | undefined
}

/** An item that the device keeps until the server has committed it; `n` is its number in the ledger. */
export type OutboxItem = { readonly n: number } & (
  | { readonly report: Report; readonly sms?: undefined }
  | { readonly sms: InboxSms; readonly report?: undefined }
)

export type LedgerIndex = {
  apply: (line: LedgerLine) => void
  /** The number of the next item of the outbox. */
  nextNumber: () => number
  find: (uid: string, guid: string, attempt: number) => Entry | undefined
  /** Every attempt at a message by any device of the fleet, oldest first. */
  attempts: (guid: string) => readonly Entry[]
  entries: () => Generator<Entry>
  /** The entries of a device that are not settled, oldest first. */
  open: (uid: string) => Entry[]
  forbidden: (uid: string, guid: string) => boolean
  /** The items that the server has not committed yet, oldest first. */
  outbox: (uid: string) => OutboxItem[]
}

/** The ledger in memory: the result of applying its lines in order. */
export function openLedgerIndex(): LedgerIndex {
  const byGuid = new Map<string, Entry[]>()
  const openByUid = new Map<string, Set<Entry>>()
  const outboxes = new Map<string, Map<number, OutboxItem>>()
  const forbidden = new Set<string>()
  let latest = 0

  function find(uid: string, guid: string, attempt: number): Entry | undefined {
    return byGuid.get(guid)?.find((entry) => entry.uid === uid && entry.attempt === attempt)
  }

  function mustFind(uid: string, guid: string, attempt: number): Entry {
    const entry = find(uid, guid, attempt)
    if (!entry) throw new Error(`${uid} has not seen ${guid} (attempt ${attempt})`)
    return entry
  }

  function keep(uid: string, item: OutboxItem): void {
    outboxes.getOrInsertComputed(uid, () => new Map()).set(item.n, item)
    latest = Math.max(latest, item.n)
  }

  function apply(line: LedgerLine): void {
    switch (line.kind) {
      case 'seen': {
        const entry = entryOf(line.uid, line.command, line.at)
        byGuid.getOrInsertComputed(entry.guid, () => []).push(entry)
        openByUid.getOrInsertComputed(line.uid, () => new Set()).add(entry)
        return keep(line.uid, { n: line.n, report: entry.report })
      }
      case 'sending':
        mustFind(line.uid, line.guid, line.attempt).sending = true
        return
      case 'on_air':
        mustFind(line.uid, line.guid, line.attempt).on_air++
        return
      case 'report': {
        const entry = find(line.uid, line.report.guid, line.report.attempt)
        if (entry) {
          entry.report = line.report
          if (settles(line.report, entry)) {
            entry.command = undefined
            openByUid.get(line.uid)?.delete(entry)
          }
        }
        return keep(line.uid, { n: line.n, report: line.report })
      }
      case 'inbox':
        return keep(line.uid, { n: line.n, sms: line.sms })
      case 'forbidden':
        forbidden.add(`${line.uid} ${line.guid}`)
        return
      case 'acknowledged':
        for (const n of line.ns) outboxes.get(line.uid)?.delete(n)
    }
  }

  return {
    apply,
    nextNumber: () => latest + 1,
    find,
    attempts: (guid) => byGuid.get(guid) ?? [],
    *entries() {
      for (const attempts of byGuid.values()) yield* attempts
    },
    open: (uid) => [...(openByUid.get(uid) ?? [])],
    forbidden: (uid, guid) => forbidden.has(`${uid} ${guid}`),
    outbox: (uid) => [...(outboxes.get(uid)?.values() ?? [])],
  }
}

/** A fingerprint of the command's content, without its guid and attempt. */
export function contentOf({ to, text, from, silent, expires_at }: SendCommand): number {
  return fingerprint(JSON.stringify([to, text, from ?? null, silent ?? false, expires_at ?? null]))
}

function entryOf(uid: string, command: SendCommand, at: string): Entry {
  const { guid, attempt, text } = command
  return {
    uid,
    guid,
    attempt,
    content: contentOf(command),
    parts: measureText(text).segments,
    seen_at: Date.parse(at),
    sending: false,
    on_air: 0,
    report: acceptedReport(command, at),
    command,
  }
}

export function acceptedReport({ guid, attempt }: SendCommand, at: string): Report {
  return { guid, attempt, state: 'accepted', at }
}

/** Whether this report settles the entry. After a failure, a message that went on air can still be delivered. */
function settles({ state }: Report, { command, on_air }: Entry): boolean {
  if (state === 'failed') return on_air === 0
  return state === 'sent' ? command?.silent === true : state !== 'accepted'
}
