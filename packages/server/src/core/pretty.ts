import { styleText } from 'node:util'

const COLOURS = { fatal: 'red', error: 'red', warn: 'yellow', info: 'green' } as const

/**
 * Formats one JSON line of the log for a person at a terminal: time of day, level and message, then the other fields,
 * one per line, and an error with its stack. A line that is not an entry stays as it is.
 */
export function prettyLine(line: string): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return line
  }
  const { time, level, msg, err, ...fields } = entry
  const stack = (err as { stack?: string } | undefined)?.stack
  const more = { ...fields, ...(err !== undefined && stack === undefined && { err }) }
  const name = String(level).toUpperCase().padEnd(5)
  const colour = COLOURS[level as keyof typeof COLOURS] ?? 'gray'
  return [
    `[${timeOfDay(String(time))}] ${styleText(colour, name, { validateStream: false })} ${visible(typeof msg === 'string' ? msg : '')}`,
    ...Object.entries(more).map(([key, value]) => `    ${key}: ${visible(JSON.stringify(value))}`),
    ...(stack === undefined
      ? []
      : visible(stack)
          .split('\n')
          .map((text) => `    ${text}`)),
    '',
  ].join('\n')
}

/** In this machine's time zone, to the millisecond. */
function timeOfDay(time: string): string {
  const at = new Date(time)
  const two = (value: number, digits = 2) => String(value).padStart(digits, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${two(at.getMilliseconds(), 3)}`
}

/** Replaces characters that would move the cursor or change the terminal's colours. Line breaks stay. */
function visible(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '\u{FFFD}')
}
