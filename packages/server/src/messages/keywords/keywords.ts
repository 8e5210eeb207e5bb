import { type Keyword, type KeywordChange, MAX_KEYWORDS } from '@sdd/contract/messages/keywords.ts'
import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { lockedSettings } from '#server/accounts/settings/settings.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { fault, invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { bareWord, isStopWord } from '#server/messages/opt-outs/stop-words.ts'
import { keywordStore } from './store.ts'

type Needs = { db: Database; live: Live; clock: Clock }

/** These end a block that an SMS made, in every company. */
export const START_WORDS: ReadonlySet<string> = new Set(['start', 'alta'])

export async function listKeywords(
  { db }: Pick<Needs, 'db'>,
  scope: Scope,
): Promise<{ keywords: Keyword[] }> {
  return { keywords: await keywordStore(db.read, scope).list() }
}

/** Creates a keyword, or changes the one with this id. A word has one meaning in a company. */
export async function saveKeyword(
  { db, live, clock }: Needs,
  caller: Caller,
  { id, word, answer = null, action }: KeywordChange,
  company?: number,
): Promise<{ keyword: Keyword; made: boolean }> {
  if (action === 'answer' && answer === null) throw invalidField('answer', 'is required', 'required', {})
  refuseLong(answer)
  const result = await db.write(async (tx) => {
    const store = keywordStore(tx, caller.scope)
    const before = typeof id === 'number' ? requireKeyword(await store.byId(id), id) : undefined
    const company_id = before?.company_id ?? company ?? caller.company_id
    const { stop_words } = await lockedSettings(tx, caller.scope, company_id)
    const word_key = bareWord(word)
    const same = await store.byKey(company_id, word_key)
    if (START_WORDS.has(word_key) || isStopWord(word, JSON.parse(stop_words) as string[])) throw taken(word)
    if (same !== undefined && same.id !== before?.id) throw taken(word)
    const columns = { word, word_key, answer, action }
    const record = () => recordKeyword(tx, clock, caller, company_id, before, { word, answer, action })
    if (before !== undefined) {
      await store.update(before.id, columns)
      await record()
      return { keyword: { id: before.id, company_id, word, answer, action }, made: false }
    }
    if ((await store.count(company_id)) >= MAX_KEYWORDS)
      throw invalidField('word', `is one more than ${MAX_KEYWORDS} words: remove another`, 'too_many', {
        max: MAX_KEYWORDS,
      })
    const made = await store.insert({ company_id, ...columns })
    await record()
    return { keyword: { id: made, company_id, word, answer, action }, made: true }
  })
  live.changed(result.keyword.company_id, 'settings', 'audit')
  return result
}

export async function deleteKeyword({ db, live, clock }: Needs, caller: Caller, id: number): Promise<void> {
  const { company_id } = await db.write(async (tx) => {
    const store = keywordStore(tx, caller.scope)
    const keyword = requireKeyword(await store.byId(id), id)
    await store.remove(id)
    await recordKeyword(tx, clock, caller, keyword.company_id, keyword, undefined)
    return keyword
  })
  live.changed(company_id, 'settings', 'audit')
}

type Meaning = Pick<Keyword, 'word' | 'answer' | 'action'>

async function recordKeyword(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  company_id: number,
  before: Meaning | undefined,
  after: Meaning | undefined,
): Promise<void> {
  const changes = differences(before, after ?? { word: null, answer: null, action: null })
  const { word } = (after ?? before)!
  await recordChange(tx, clock, caller, { company_id, action: 'settings.saved', name: word, changes })
}

function requireKeyword<Row>(row: Row | undefined, id: number): Row {
  if (row === undefined) throw new Refusal('unknown_keyword', `There is no keyword ${id}.`)
  return row
}

function refuseLong(answer: string | null): void {
  const { segments } = measureText(answer ?? '')
  if (segments <= MAX_SEGMENTS) return
  const why = `takes ${segments} SMS; ${MAX_SEGMENTS} is the most`
  throw invalidField('answer', why, 'too_many_segments', { segments, max: MAX_SEGMENTS })
}

function taken(word: string): Refusal {
  const detail = `${JSON.stringify(word)} has a meaning already, as another keyword or as a word that ends or starts messages.`
  return new Refusal('word_taken', detail, { fields: { word: fault('has a meaning already', 'taken', {}) } })
}
