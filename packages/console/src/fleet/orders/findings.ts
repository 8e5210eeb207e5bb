/** A finding of `doctor`, and how to fix it. */
export type Finding = { level: 'bad' | 'note' | 'good'; says: string; remedy?: string }

const levels: Record<string, Finding['level']> = { WRONG: 'bad', note: 'note', good: 'good' }
const order = ['bad', 'note', 'good']

/**
 * The findings, the worst first. A line begins with its level, and an indented line below it is its remedy. A line
 * without a level only says something.
 */
export function findingsOf(output: string): Finding[] {
  const findings: Finding[] = []
  for (const line of output.split('\n').filter((each) => each.trim() !== '')) {
    const last = findings.at(-1)
    const [, word = '', says = ''] = /^\s*(WRONG|note|good):?\s+(.*)$/.exec(line) ?? []
    if (word) findings.push({ level: levels[word]!, says })
    else if (/^\s/.test(line) && last) last.remedy = [last.remedy, line.trim()].filter(Boolean).join(' ')
    else findings.push({ level: 'good', says: line.trim() })
  }
  return findings.sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}
