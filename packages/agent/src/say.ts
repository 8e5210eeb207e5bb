/** Logs one plain sentence for the operator. */
export type Say = (sentence: string) => void

/** The same, with a prefix that names the subject. */
export function about(name: string, say: Say): Say {
  return (sentence) => say(`${name}: ${sentence}`)
}

/** The sentence of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
