/** Why the modem cannot be used now, in one sentence that says what to do. */
export class Trouble extends Error {
  override readonly name = 'Trouble'
  /** When to try again; undefined: not before something changes. */
  readonly again_ms: number | undefined

  constructor(sentence: string, again_ms?: number) {
    super(sentence)
    this.again_ms = again_ms
  }
}
