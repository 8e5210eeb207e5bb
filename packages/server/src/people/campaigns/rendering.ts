import type { RowFault } from '@sdd/contract/people/campaign-rows.ts'
import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import { ownField, parseTemplateText, renderTemplateText } from '@sdd/contract/people/template-text.ts'
import { type Encoding, measureText } from '@sdd/sms/segments.ts'
import type { Refusal } from '#server/core/refusal.ts'
import type { CampaignRows } from '#server/database/people-tables.ts'
import { explainDestination, type PrefixRules } from '#server/messages/destinations/rules.ts'
import type { ContactOf } from './rows.store.ts'

export type RenderedRow = Pick<CampaignRows, 'number' | 'name' | 'fields' | 'at' | 'fault'>

/** What would be sent to a row, or why it cannot be sent. */
export type Rendered =
  | { text: string; parts: number; encoding: Encoding; fault?: never }
  | { fault: RowFault; text?: string }

/** Renders rows with this text: a row's own fields come before those of its contact. */
export function openRendering(
  { text, expires_at }: { text: string; expires_at: string | null },
  rules: PrefixRules | undefined,
  refuseRoute?: (number: string) => Refusal | undefined,
): (row: RenderedRow, contact: ContactOf | undefined) => Rendered {
  const { pieces = [] } = parseTemplateText(text)
  const fixed = pieces.every((piece) => typeof piece === 'string') ? measured(pieces.join('')) : undefined

  return (row, contact) => {
    if (row.fault !== null) return { fault: JSON.parse(row.fault) as RowFault }
    const rendered = fixed ?? render(row, contact)
    if (rendered.fault) return rendered
    const refused = rules && explainDestination(rules, row.number)
    if (refused) {
      const { prefix } = refused.params
      return { ...rendered, fault: rowFault('destination_refused', refused.detail, { prefix }) }
    }
    const unroutable = refuseRoute?.(row.number)
    if (unroutable) return { ...rendered, fault: rowFault('no_route', unroutable.message) }
    if (expires_at !== null && row.at !== null && row.at >= expires_at) {
      const detail = `${row.at} is not before the campaign expires: choose an earlier time.`
      return { ...rendered, fault: rowFault('invalid_at', detail) }
    }
    return rendered
  }

  function render(row: RenderedRow, contact: ContactOf | undefined): Rendered {
    const own = JSON.parse(row.fields) as Record<string, string>
    let others: Record<string, string> | undefined
    const { text, missing } = renderTemplateText(pieces, (field) => {
      if (field === 'number') return row.number
      if (field === 'name') return row.name ?? contact?.name
      const value = ownField(own, field)
      if (value !== undefined) return value
      others ??= JSON.parse(contact?.fields ?? '{}') as typeof own
      return ownField(others, field)
    })
    if (missing === undefined) return measured(text)
    const detail = `The row has no ${missing}, which the text needs: give it, or take {{${missing}}} out of the text.`
    return { fault: rowFault('missing_field', detail, { field: missing }) }
  }
}

function measured(text: string): Rendered {
  if (text.includes('\0') || !text.isWellFormed())
    return { fault: rowFault('invalid', 'The text holds a character that no SMS can carry.') }
  if (text === '') return { fault: rowFault('invalid', 'The text is empty.') }
  const { segments, encoding } = measureText(text)
  if (segments <= MAX_SEGMENTS) return { text, parts: segments, encoding }
  const detail = `The text takes ${segments} SMS; ${MAX_SEGMENTS} is the most. Shorten it.`
  return { text, fault: rowFault('too_long', detail, { segments, max: MAX_SEGMENTS }) }
}

export function rowFault(code: RowFault['code'], detail: string, params: RowFault['params'] = {}): RowFault {
  return { code, detail, params }
}
