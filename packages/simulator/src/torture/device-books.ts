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
  readonly reports: Said<Report>[]
}

/** `committed`: the server acknowledged it. */
export type Said<T> = { readonly what: T; committed: boolean }

export type DeviceBooks = {
  /** By guid, oldest first. */
  readonly attempts: ReadonlyMap<string, Attempt[]>
  readonly inbox: readonly (Said<InboxSms> & { uid: string })[]
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
  const inbox: (Said<InboxSms> & { uid: string })[] = []
  const numbered = new Map<number, Said<unknown>>()

  function note(uid: string, report: Report, n: number): void {
    const said = { what: report, committed: false }
    find(uid, report.guid, report.attempt)?.reports.push(said)
    numbered.set(n, said)
  }

  function find(uid: string, guid: string, attempt: number): Attempt | undefined {
    return attempts.get(guid)?.find((one) => one.uid === uid && one.attempt === attempt)
  }

  for (const written of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const line = JSON.parse(written) as LedgerLine
    if (line.kind === 'seen') {
      const { guid, attempt, text } = line.command
      const one = { uid: line.uid, attempt, parts: measureText(text).segments, on_air: 0, reports: [] }
      attempts.getOrInsertComputed(guid, () => []).push(one)
      note(line.uid, { guid, attempt, state: 'accepted', at: line.at }, line.n)
    } else if (line.kind === 'on_air') find(line.uid, line.guid, line.attempt)!.on_air++
    else if (line.kind === 'report') note(line.uid, line.report, line.n)
    else if (line.kind === 'inbox') {
      const said = { uid: line.uid, what: line.sms, committed: false }
      inbox.push(said)
      numbered.set(line.n, said)
    } else if (line.kind === 'acknowledged') {
      for (const n of line.ns) numbered.get(n)!.committed = true
    }
  }
  const committed = [...numbered.values()].filter((said) => said.committed).length
  return { attempts, inbox, committed, waiting: numbered.size - committed }
}
