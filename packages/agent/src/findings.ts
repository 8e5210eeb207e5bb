/** One result of `doctor`. */
export type Finding = {
  readonly level: 'good' | 'note' | 'fault'
  readonly says: string
  /** How to fix it. */
  readonly remedy?: string
}

/** Begins each finding in text, so that programs know its level, too. */
export const LEVEL_WORDS = { good: 'good', note: 'note', fault: 'WRONG' } as const

/** A line for the finding, and an indented one for its remedy. */
export function linesOf({ level, says, remedy }: Finding): string[] {
  return [`${LEVEL_WORDS[level]} ${says}`, ...(remedy ? [`  ${remedy}`] : [])]
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
