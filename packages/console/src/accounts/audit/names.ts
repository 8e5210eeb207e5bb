import type { AuditEntry } from '@sdd/contract/accounts/audit.ts'
import { dayTime } from '#console/ui/time.ts'

/** The thing that an entry is about. */
export type Subject = Pick<AuditEntry, 'action' | 'subject' | 'name'>

/** The words of one language for things whose names the server makes up in English. */
export type NameWords = {
  /** The audit log, downloaded. */
  auditLog: string
  unnamed: (action: string) => string
  /** The settings, quotas and destinations of a company. */
  ofCompany: string
  /** `until` is a day and time. */
  linkCode: (code: { hint: string; uses: number; until: string }) => string
  /** The whole log, and several downloads of it. */
  everything: string
  several: string
  /** One filter of the log. */
  filter: (name: string, value: string) => string
}

/** The name of the thing. Names that people gave stay as they are. */
export function nameIn(words: NameWords, { action, subject, name }: Subject): string {
  if (name === null) return words.unnamed(action)
  if (subject === 'settings' || subject === 'destinations') return SETTINGS.has(name) ? words.ofCompany : name
  if (subject === 'link_code') return linkCodeName(words, name)
  return subject === 'log' || action === 'task.exported' ? exportName(words, name) : name
}

const SETTINGS: ReadonlySet<string> = new Set(['Global', 'Quotas', 'Destinations'])

/** `QK7M… for 18 devices until 2026-11-20T21:32:07.000Z` */
const LINK_CODE = /^(?<hint>\S+) for (?<uses>\d+) devices? until (?<until>\S+)$/

function linkCodeName({ linkCode }: NameWords, name: string): string {
  const { hint, uses, until } = LINK_CODE.exec(name)?.groups ?? {}
  if (hint === undefined || uses === undefined || until === undefined) return name
  return linkCode({ hint, uses: Number(uses), until: dayTime(until) })
}

/** `state=failed, from=2026-06-10T08:00:00Z`. The value of `search` may be any text. */
const NEXT_FILTER = /(?:^|, )(device_uid|search|status|state|errors|error|from|to)=/

function exportName({ auditLog, everything, several, filter }: NameWords, name: string): string {
  if (name === 'audit log') return auditLog
  if (name === 'everything') return everything
  if (name === 'several') return several
  // Splitting by a capture group makes every second part the name of a filter.
  const [before, ...parts] = name.split(NEXT_FILTER)
  if (before !== '') return name
  return parts
    .flatMap((part, n) => (n % 2 === 0 ? [filter(part, valueOf(part, parts[n + 1]!))] : []))
    .join(', ')
}

function valueOf(filter: string, value: string): string {
  return filter === 'from' || filter === 'to' ? dayTime(value) : value
}
