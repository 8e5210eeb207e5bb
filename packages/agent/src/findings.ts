/** One thing that `doctor` found. */
export type Finding = {
  readonly level: 'good' | 'note' | 'fault'
  readonly says: string
  /** What to do about it. */
  readonly remedy?: string
}

export function good(says: string): Finding {
  return { level: 'good', says }
}

/** Something one should know, but need not change. */
export function note(says: string, remedy?: string): Finding {
  return { level: 'note', says, ...(remedy && { remedy }) }
}

export function fault(says: string, remedy: string): Finding {
  return { level: 'fault', says, remedy }
}
