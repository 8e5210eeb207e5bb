import * as z from 'zod/mini'
import { useKeptDraft } from '#console/core/drafts.ts'
import type { ConversationRef } from './conversations.ts'

const Kept = z.object({
  text: z.string(),
  /** Empty if the person chose none. */
  device: z.string(),
  /** The guid of the message: the same one if it is sent again because its outcome is open. */
  guid: z._default(z.string(), ''),
})

/** An answer that was typed but not sent. */
export type AnswerDraft = z.infer<typeof Kept>

/** Each conversation has a draft of its own. */
export function useAnswerDraft({ number, company }: ConversationRef) {
  return useKeptDraft(`conversation ${company ?? ''} ${number}`, { read, kept })
}

function read(stored: unknown): AnswerDraft {
  return Kept.safeParse(stored).data ?? { text: '', device: '', guid: '' }
}

function kept(draft: AnswerDraft): AnswerDraft | undefined {
  return draft.text === '' && draft.device === '' ? undefined : draft
}
