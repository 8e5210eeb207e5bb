import { typedSentence } from '#console/core/said.ts'
import { wording } from '#console/core/language.ts'
import { reasons, sentences } from './spanish.ts'
import type { WaitingFields } from './waiting.ts'

export const waiting = wording('waiting', {
  /**
   * Why a message or task waits, with ISO times; undefined if it does not. From the code, or in the words of a server
   * that gives none.
   */
  sentence: ({ waiting_for, waiting_code, waiting_params }: WaitingFields): string | undefined =>
    typedSentence(sentences, waiting_code, waiting_params) ?? waiting_for ?? undefined,
  reasons,
})
