import { readFileSync } from 'node:fs'
import type { InboxSms, Report } from '@sdd/contract/fleet/device-protocol.ts'
import { measureText } from '@sdd/sms/segments.ts'
import type { LedgerLine } from '#simulator/ledger-index.ts'

/** A device's stored record of one attempt at one message. */
export type Attempt = {
  readonly uid: string
  readonly attempt: number
  readonly parts: number
  /** How often the radio log has it. */
  on_air: number
  /** In the order in which they were stored. */
  readonly reports: StoredItem<Report>[]
}

/** `committed`: the server acknowledged it. */
type StoredItem<T> = { readonly what: T; committed: boolean }

export type DeviceBooks = {
  /** By guid, oldest first. */
  readonly attempts: ReadonlyMap<string, Attempt[]>
  readonly inbox: readonly (StoredItem<InboxSms> & { uid: string })[]
  /** The number of acknowledged items, and of those that are not acknowledged yet. */
  readonly committed: number
  readonly waiting: number
}

/**
 * Reads the ledger of a fleet from its file, line by line. Independent of the devices' memory and of the code that sums
 * it up.
 */
export function readDeviceBooks(path: string): DeviceBooks {
  const attempts = new Map<string, Attempt[]>()
  const inbox: (StoredItem<InboxSms> & { uid: string })[] = []
  const numbered = new Map<number, StoredItem<unknown>>()

  function note(uid: string, report: Report, n: number): void {
    const stored = { what: report, committed: false }
    find(uid, report.guid, report.attempt)?.reports.push(stored)
    numbered.set(n, stored)
  }

  function find(uid: string, guid: string, attempt: number): Attempt | undefined {
    return attempts.get(guid)?.find((tried) => tried.uid === uid && tried.attempt === attempt)
  }

  for (const written of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const line = JSON.parse(written) as LedgerLine
    if (line.kind === 'seen') {
      const { guid, attempt, text } = line.command
      const tried = { uid: line.uid, attempt, parts: measureText(text).segments, on_air: 0, reports: [] }
      attempts.getOrInsertComputed(guid, () => []).push(tried)
      note(line.uid, { guid, attempt, state: 'accepted', at: line.at }, line.n)
    } else if (line.kind === 'on_air') find(line.uid, line.guid, line.attempt)!.on_air++
    else if (line.kind === 'report') note(line.uid, line.report, line.n)
    else if (line.kind === 'inbox') {
      const stored = { uid: line.uid, what: line.sms, committed: false }
      inbox.push(stored)
      numbered.set(line.n, stored)
    } else if (line.kind === 'acknowledged') {
      for (const n of line.ns) numbered.get(n)!.committed = true
    }
  }
  const committed = [...numbered.values()].filter((stored) => stored.committed).length
  return { attempts, inbox, committed, waiting: numbered.size - committed }
}
