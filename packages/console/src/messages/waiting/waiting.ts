import type { Waiting } from '@sdd/contract/dispatch/waiting.ts'

/** The fields of a message or task that say why it waits. A server may leave them out. */
export type WaitingFields = {
  waiting_for?: string | null | undefined
  waiting_code?: Waiting['code'] | null | undefined
  waiting_params?: Readonly<Record<string, string | number | null>> | null | undefined
}

/** The facts of one code. */
export type WaitingFacts<Code extends Waiting['code']> = Extract<Waiting, { code: Code }>['params']

/** Makes the sentence of each code. */
export type WaitingSentences = {
  readonly [Code in Waiting['code']]: (facts: WaitingFacts<Code>) => string
}
