/** Receives whether the user proved who they are. */
type Answer = (proved: boolean) => void

let waiting: Answer[] = []
const listeners = new Set<() => void>()

/**
 * Asks the user to prove who they are; resolves to whether they did. Concurrent calls share one question. Resolves to
 * false at once if no screen can ask.
 */
export function askForProof(): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false)
  return new Promise((resolve) => {
    waiting = [...waiting, resolve]
    tellListeners()
  })
}

/** Answers the open question for all waiting calls. */
export function answerProof(proved: boolean): void {
  const answers = waiting
  waiting = []
  tellListeners()
  for (const answer of answers) answer(proved)
}

export function proofAsked(): boolean {
  return waiting.length > 0
}

/** Calls the listener when a question opens or is answered; returns an unsubscribe function. */
export function whenProofAsked(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    // The last screen that could ask is gone, so its question counts as declined.
    if (listeners.size === 0) answerProof(false)
  }
}

function tellListeners(): void {
  for (const listener of listeners) listener()
}
