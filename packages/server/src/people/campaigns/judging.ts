import { setImmediate as turn } from 'node:timers/promises'
import type { RowFault, SkipReason } from '@sdd/contract/people/campaign-rows.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { isCapped } from '#server/messages/destinations/counting.ts'
import type { DestinationRules } from '#server/messages/destinations/rules.ts'
import { optedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import { readRules } from '#server/fleet/routes/company-routes.ts'
import { refusedNumbers } from './route-check.ts'
import { openRendering, type Rendered, type RenderedRow } from './rendering.ts'
import { type ContactOf, contactsOf, fullToday, membersOf, rowStore } from './rows.store.ts'
import type { CampaignRecord } from './store.ts'

export type JudgeNeeds = {
  db: Pick<Database, 'read' | 'readInWorker'>
  clock: Clock
  destinations: Pick<DestinationRules, 'of'>
}

/** A row of a draft, or a member of its lists, and what would become of it now. */
export type Judged = {
  line: number
  number: string
  name: string | null
  /** What it says itself. */
  row: RenderedRow
  contact: ContactOf | undefined
  /** It is not in the table of rows yet. */
  member: boolean
  rendered: Rendered
  reason: SkipReason | undefined
  fault: RowFault | undefined
  /** The fault does not follow from the text, and is stored already. */
  stored: boolean
}

const AT_ONCE = 1_000

/**
 * Judges every row of a draft, in order: the uploaded rows, then the members of its lists. A row has the first reason
 * that fits, and the first valid row of a number stays.
 */
export async function* judgeRows(
  { db, clock, destinations }: JudgeNeeds,
  campaign: CampaignRecord,
): AsyncGenerator<Judged[]> {
  const { company_id, id } = campaign
  const tx = db.readInWorker
  const rules = await destinations.of(db.read, company_id, undefined)
  const settings = await settingsOf(db.read, 'all', company_id)
  const routes = settings.routes === 0 ? undefined : await readRules(db.read, settings)
  const render = openRendering(campaign, rules, await refusedNumbers(db.read, campaign, routes))
  const cap = rules && isCapped(rules) ? rules.max_per_recipient_dayly : undefined
  const day = clock.day(clock.now())
  const seen = new Set<string>()

  type Asked = RenderedRow & { line: number; member: boolean }
  async function judge(rows: readonly Asked[]): Promise<Judged[]> {
    const numbers = rows.map(({ number }) => number)
    const [contacts, blocked, full] = await Promise.all([
      contactsOf(tx, company_id, numbers),
      optedOut(tx, company_id, numbers),
      cap === undefined ? undefined : fullToday(tx, company_id, numbers, day, cap),
    ])
    return rows.map((row) => {
      const contact = contacts.get(row.number)
      const rendered = render(row, contact)
      const { fault } = rendered
      const again = seen.has(row.number)
      if (fault === undefined) seen.add(row.number)
      const barred = unreachable(campaign, contact, blocked.has(row.number))
      let reason: SkipReason | undefined
      if (fault) reason = 'invalid'
      else if (again) reason = 'repeated'
      else if (barred) reason = barred
      else if (full?.has(row.number)) reason = 'recipient_limit'
      const { line, number, member } = row
      const name = row.name ?? contact?.name ?? null
      return { line, number, name, row, contact, member, rendered, reason, fault, stored: row.fault !== null }
    })
  }

  for (let line = 0; line < campaign.rows;) {
    const rows = await rowStore(tx, id).after(line, Math.min(AT_ONCE, campaign.rows - line))
    if (rows.length === 0) break
    yield judge(rows.map((row) => ({ ...row, member: false })))
    line = rows.at(-1)!.line
    await turn()
  }
  const lists = JSON.parse(campaign.lists) as string[]
  let line = campaign.rows
  for (let after = ''; lists.length > 0;) {
    const members = await membersOf(tx, company_id, lists, after, AT_ONCE)
    if (members.length === 0) return
    yield judge(
      members.map((number) => ({
        line: ++line,
        number,
        name: null,
        fields: '{}',
        at: null,
        fault: null,
        member: true,
      })),
    )
    after = members.at(-1)!
    await turn()
  }
}

/** Why the campaign may not write to a number. */
export function unreachable(
  campaign: Pick<CampaignRecord, 'class'>,
  contact: ContactOf | undefined,
  isBlocked: boolean,
): 'opted_out' | 'no_consent' | undefined {
  if (isBlocked) return 'opted_out'
  return campaign.class === 'marketing' && !contact?.consent_at ? 'no_consent' : undefined
}
