import { typedSentence } from '#console/core/said.ts'
import { reasons, sentences } from './spanish.ts'
import type { WaitingFields } from './waiting.ts'

export const waiting = {
  sentence: ({ waiting_for, waiting_code, waiting_params }: WaitingFields): string | undefined =>
    typedSentence(sentences, waiting_code, waiting_params) ?? (waiting_for ? `«${waiting_for}»` : undefined),
  reasons,
}
