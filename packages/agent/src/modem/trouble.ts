/** Why the modem cannot be used now, in one sentence with the remedy. */
export class Trouble extends Error {
  override readonly name = 'Trouble'
  /** When to try again; undefined: only after something changes. */
  readonly again_ms: number | undefined
  /** `silent`: nothing answers on this port. */
  readonly kind: 'no_sim' | 'silent' | undefined

  constructor(sentence: string, again_ms?: number, kind?: 'no_sim' | 'silent') {
    super(sentence)
    this.again_ms = again_ms
    this.kind = kind
  }
}
