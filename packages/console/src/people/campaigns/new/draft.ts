import { NewCampaign, type Campaign, type CampaignClass } from '@sdd/contract/people/campaigns.ts'
import { TemplateBody } from '@sdd/contract/people/templates.ts'
import { parseTemplateText, type TemplateFault } from '@sdd/contract/people/template-text.ts'
import * as z from 'zod/mini'
import { keepDraft, readDraft } from '#console/core/drafts.ts'
import { fieldTime } from '#console/ui/time.ts'

/** What a person has typed. Times are as `datetime-local` fields have them; empty means none. */
export type DraftFields = {
  name: string
  text: string
  class: CampaignClass | ''
  lists: readonly string[]
  /** The tag of the devices that send it; empty for any device. */
  via: string
  not_before: string
  expires_at: string
}

const Kept = z.object({
  name: z.string(),
  text: z.string(),
  class: z.enum(['transactional', 'marketing', '']),
  lists: z.array(z.string()),
  via: z.string(),
  not_before: z.string(),
  expires_at: z.string(),
})

export const emptyDraft: DraftFields = {
  name: '',
  text: '',
  class: '',
  lists: [],
  via: '',
  not_before: '',
  expires_at: '',
}

export function fieldsOf(campaign: Campaign): DraftFields {
  const { name, text, class: itsClass, lists, via, not_before, expires_at } = campaign
  return {
    name,
    text,
    class: itsClass,
    lists,
    via: via ?? '',
    not_before: localTime(not_before),
    expires_at: localTime(expires_at),
  }
}

function localTime(iso: string | null): string {
  return iso === null ? '' : fieldTime(Date.parse(iso))
}

/** Why a draft cannot be saved, by its field. */
export type DraftFaults = {
  name?: 'required' | 'too_long'
  text?: 'required' | 'too_long' | TemplateFault
  class?: 'required'
  not_before?: 'unclear'
  expires_at?: 'unclear' | 'passed' | 'before_start'
}

export function faultsOf(draft: DraftFields, now_ms = Date.now()): DraftFaults {
  const { name, text, class: itsClass, not_before, expires_at } = draft
  const { fault } = parseTemplateText(text)
  const [begins_ms, ends_ms] = [Date.parse(not_before), Date.parse(expires_at)]
  const faults: DraftFaults = {}
  if (name.trim() === '') faults.name = 'required'
  else if (!NewCampaign.shape.name.safeParse(name).success) faults.name = 'too_long'
  if (text.trim() === '') faults.text = 'required'
  else if (fault) faults.text = fault
  else if (!TemplateBody.safeParse(text).success) faults.text = 'too_long'
  if (itsClass === '') faults.class = 'required'
  if (not_before !== '' && Number.isNaN(begins_ms)) faults.not_before = 'unclear'
  if (expires_at !== '') {
    if (Number.isNaN(ends_ms)) faults.expires_at = 'unclear'
    else if (ends_ms <= now_ms) faults.expires_at = 'passed'
    else if (ends_ms <= begins_ms) faults.expires_at = 'before_start'
  }
  return faults
}

/** What the server gets; undefined if it would refuse it. */
export function bodyOf(draft: DraftFields, now_ms = Date.now()): NewCampaign | undefined {
  const { name, text, class: itsClass, lists, via } = draft
  if (itsClass === '' || Object.keys(faultsOf(draft, now_ms)).length > 0) return undefined
  return {
    name: name.trim(),
    text,
    class: itsClass,
    lists: [...lists],
    via: via === '' ? null : via,
    not_before: isoTime(draft.not_before),
    expires_at: isoTime(draft.expires_at),
  }
}

/** Whether this time of a field has passed. */
export function hasPassed(local: string): boolean {
  return Date.parse(local) <= Date.now()
}

function isoTime(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString()
}

/** What this tab has and the server has not. */
export function readKept(id: number | undefined): DraftFields | undefined {
  return Kept.safeParse(readDraft(keyOf(id))).data
}

export function keep(id: number | undefined, draft: DraftFields | undefined): void {
  keepDraft(keyOf(id), draft)
}

function keyOf(id: number | undefined): string {
  return `campaign ${id ?? 'new'}`
}
