import {
  listAudit,
  type AuditAction,
  type AuditEntry,
  type AuditSubject,
} from '@sdd/contract/accounts/audit.ts'
import { callApi } from '#console/core/api.ts'
import { parsePage, pagesQuery } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { audit as words } from './text.ts'

/** What happened, in the words of a person who looks for it. */
export const auditKinds = ['logins', 'failed', 'sending'] as const
export type AuditKind = (typeof auditKinds)[number]

const KINDS = {
  logins: { action: 'login' },
  failed: { action: 'login.failed' },
  sending: { changed: 'send_enabled' },
} satisfies Record<AuditKind, object>

export type AuditFilter = {
  subject: AuditSubject | undefined
  kind: AuditKind | undefined
  search: string | undefined
  /** As a form field shows it, in the browser's time zone. */
  from: string | undefined
  to: string | undefined
}

/** The audit log, newest first. */
export function auditQuery(filter: AuditFilter) {
  const { subject, kind, search, from, to } = filter
  const query = queryOf(filter)
  return pagesQuery<AuditEntry>(['audit', subject, kind, search, from, to], (cursor, signal) =>
    callApi(listAudit, { query: { ...query, cursor }, signal }, (body) => parsePage(body, 'entries')),
  )
}

/** The filter for the server, with times in UTC. */
export function queryOf({ subject, kind, search, from, to }: AuditFilter) {
  return { subject, ...(kind && KINDS[kind]), search, from: instantOf(from), to: instantOf(to) }
}

/** `name` is the field's name in the API, `field` what people call it. */
export type FieldChange = { name: string; field: string; from: string; to: string }

/** The changed fields, with readable values. */
export function changesOf({ changes }: Pick<AuditEntry, 'changes'>): FieldChange[] {
  return Object.entries(changes)
    .filter(([name]) => name !== 'times')
    .map(([name, { from, to }]) => ({
      name,
      field: words.field(name),
      from: formatValue(name, from),
      to: formatValue(name, to),
    }))
}

/** The action, and how often if the entry stands for several within a minute. */
export function entryText({ action, changes }: Pick<AuditEntry, 'action' | 'changes'>): string {
  const times = changes['times']?.to
  return typeof times === 'number' ? words.repeated(actionText(action), times) : actionText(action)
}

export function actionText(action: string): string {
  return isKnown(action) ? words.actions[action] : words.otherAction(action)
}

function isKnown(action: string): action is AuditAction {
  return Object.hasOwn(words.actions, action)
}

function formatValue(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return words.nothing
  if (typeof value === 'boolean') return value ? text.yes : text.no
  if (Array.isArray(value))
    return value.length === 0 ? words.none : value.map((one) => formatValue(field, one)).join(', ')
  if (typeof value === 'string') return words.value(field, value)
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

function instantOf(field: string | undefined): string | undefined {
  return field === undefined ? undefined : new Date(field).toISOString()
}
