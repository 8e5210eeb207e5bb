import * as z from 'zod/mini'
import { keepDraft, readDraft } from '#console/core/drafts.ts'
import type { ConversationRef } from './conversations.ts'

/** An answer that was typed but not sent. `device` is empty if the person chose none. */
export type AnswerDraft = { text: string; device: string }

const Kept = z.object({ text: z.string(), device: z.string() })

/** Each conversation has a draft of its own. */
export function readAnswerDraft(of: ConversationRef): AnswerDraft {
  return Kept.safeParse(readDraft(nameOf(of))).data ?? { text: '', device: '' }
}

export function keepAnswerDraft(of: ConversationRef, draft: AnswerDraft): void {
  keepDraft(nameOf(of), draft.text === '' && draft.device === '' ? undefined : draft)
}

function nameOf({ number, company }: ConversationRef): string {
  return `conversation ${company ?? ''} ${number}`
}
