/** Logs one plain sentence for the operator. */
export type Say = (sentence: string) => void

/** The same, with a prefix that names the subject. */
export function about(name: string, say: Say): Say {
  return (sentence) => say(`${name}: ${sentence}`)
}
