import * as z from 'zod/mini'
import { CompanyQuery, IdParam, SmsText } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** The most keywords of a company. */
export const MAX_KEYWORDS = 200

/** `stop` blocks the sender, `start` ends such a block. Both may answer, and `answer` does nothing else. */
export const KeywordAction = z.enum(['stop', 'start', 'answer'])
export type KeywordAction = z.infer<typeof KeywordAction>

/** A word to which the server reacts, if it is the whole of a received SMS. */
export const Keyword = z.object({
  id: z.int(),
  company_id: z.int(),
  word: z.string(),
  /** Null: no answer. */
  answer: z.nullable(z.string()),
  action: KeywordAction,
})
export type Keyword = z.infer<typeof Keyword>

export const KeywordChange = z.strictObject({
  /** Absent: a new one. */
  id: z.optional(z.nullable(z.int())),
  word: z
    .string()
    .check(z.trim(), z.maxLength(40), z.regex(/[\p{L}\p{N}]/u, 'must have a letter or a digit')),
  /** Required if the action is `answer`. */
  answer: z.optional(z.nullable(SmsText)),
  action: KeywordAction,
})
export type KeywordChange = z.infer<typeof KeywordChange>

export const listKeywords = route('GET /api/keywords', {
  summary: 'The words that the server answers, or that block or unblock their sender.',
  may: 'keywords:manage',
  reply: z.object({ keywords: z.array(Keyword) }),
})

export const saveKeyword = route('POST /api/keywords', {
  summary: 'Creates a keyword, or changes the one with this id.',
  may: 'keywords:manage',
  query: CompanyQuery,
  body: KeywordChange,
  reply: Keyword,
  status: 201,
  otherStatus: 200,
  errors: ['unknown_company', 'unknown_keyword', 'word_taken'],
})

export const deleteKeyword = route('DELETE /api/keywords/:id', {
  summary: 'Removes a keyword.',
  may: 'keywords:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_keyword'],
})
