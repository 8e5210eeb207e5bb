/** Why the modem cannot be used now, in one sentence with the remedy. */
export class Trouble extends Error {
  override readonly name = 'Trouble'
  /** When to try again; undefined: only after something changes. */
  readonly again_ms: number | undefined
  /** The modem says that it has no SIM. */
  readonly no_sim: boolean

  constructor(sentence: string, again_ms?: number, no_sim = false) {
    super(sentence)
    this.again_ms = again_ms
    this.no_sim = no_sim
  }
}
