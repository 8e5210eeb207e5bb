import type { CallbackFormat } from '@sdd/contract/outward/callbacks.ts'

/**
 * Where the program that submitted a task hears about it. `format` null: JSON to its `callback_url`. Other formats are
 * those of the doors, each with an argument of its own.
 */
export type ReportTarget =
  | { format: null; url: string }
  | { format: CallbackFormat; argument: string; url: string }
  | { format: 'smpp'; argument: string; url: null }

const FORMATTED = /^(kannel|twilio|smpp):(\S*)(?: (\S+))?$/

/** Reads the `callback_url` of a message. A URL of a caller has no such beginning. */
export function readTarget(callback_url: string): ReportTarget {
  const [, format, argument = '', url] = FORMATTED.exec(callback_url) ?? []
  if (format === 'smpp') return { format, argument, url: null }
  if (format === undefined || url === undefined) return { format: null, url: callback_url }
  return { format: format as CallbackFormat, argument, url }
}

/** The same as `callback_url` holds it. */
export function writeTarget(target: ReportTarget): string {
  if (target.format === null) return target.url
  return `${target.format}:${target.argument}${target.url === null ? '' : ` ${target.url}`}`
}
