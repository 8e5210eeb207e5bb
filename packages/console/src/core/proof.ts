/** Answers whether the session has proved who holds it. */
type Answer = (proved: boolean) => void

let waiting: Answer[] = []
const listeners = new Set<() => void>()

/**
 * Asks whoever sits at the screen to prove that it is the user, and resolves to whether they did. Calls that ask at the same
 * time share one question. False at once where nothing on the screen could ask.
 */
export function askForProof(): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false)
  return new Promise((resolve) => {
    waiting = [...waiting, resolve]
    tellListeners()
  })
}

/** The answer to the question that is open, for all who wait for it. */
export function answerProof(proved: boolean): void {
  const answers = waiting
  waiting = []
  tellListeners()
  for (const answer of answers) answer(proved)
}

export function proofAsked(): boolean {
  return waiting.length > 0
}

/** Hears when a question opens or is answered; returns an unsubscribe function. */
export function whenProofAsked(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    // With the screen goes its question.
    if (listeners.size === 0) answerProof(false)
  }
}

function tellListeners(): void {
  for (const listener of listeners) listener()
}
