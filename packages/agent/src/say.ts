/** Tells the operator one plain sentence. */
export type Say = (sentence: string) => void

/** The same, with what it is about in front. */
export function about(name: string, say: Say): Say {
  return (sentence) => say(`${name}: ${sentence}`)
}
