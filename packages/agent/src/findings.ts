/** One result of `doctor`. */
export type Finding = {
  readonly level: 'good' | 'note' | 'fault'
  readonly says: string
  /** How to fix it. */
  readonly remedy?: string
}

export function good(says: string): Finding {
  return { level: 'good', says }
}

/** Worth knowing, but needs no change. */
export function note(says: string, remedy?: string): Finding {
  return { level: 'note', says, ...(remedy && { remedy }) }
}

export function fault(says: string, remedy: string): Finding {
  return { level: 'fault', says, remedy }
}
