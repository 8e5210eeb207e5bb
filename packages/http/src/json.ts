import { HttpError } from './errors.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** More than any honest body needs, and far less than would exhaust the stack. */
const MAX_DEPTH = 32

/**
 * Reads JSON (RFC 8259) strictly. Throws `malformed` for invalid JSON, more than 32 levels, an object that repeats a
 * name, and names with which careless code changes prototypes.
 */
export function readJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new HttpError('malformed', 'The body is not valid JSON.')
  }
  refuseUnsafeNames(text)
  return value
}

/** An open object at some position of the text; `undefined` stands for an array. */
type Open =
  | { readonly names: Set<string>; readonly under: string | undefined; latest: string | undefined }
  | undefined

/** The JSON whitespace character with the highest code. */
const SPACE = 0x20
const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a]
const [OBJECT, END_OF_OBJECT, ARRAY, END_OF_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Scans text that is known to be JSON, without recursion. */
function refuseUnsafeNames(text: string): void {
  const opened: Open[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) {
      const end = endOfString(text, at)
      if (followedByColon(text, end)) addName(opened.at(-1), text.slice(at, end))
      at = end - 1
    } else if (character === OBJECT || character === ARRAY) {
      const under = opened.at(-1)?.latest
      opened.push(character === OBJECT ? { names: new Set(), under, latest: undefined } : undefined)
      if (opened.length > MAX_DEPTH)
        throw new HttpError('malformed', `The JSON nests deeper than ${MAX_DEPTH} levels.`)
    } else if (character === END_OF_OBJECT || character === END_OF_ARRAY) {
      opened.pop()
    }
  }
}

function addName(object: Open, quoted: string): void {
  if (!object) return
  const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
  if (object.names.has(name))
    throw new HttpError('malformed', `The JSON has the name ${quoted.slice(0, 80)} twice.`)
  if (name === '__proto__' || (name === 'prototype' && object.under === 'constructor')) {
    throw new HttpError('malformed', `The JSON has the name ${name}, which is not allowed.`)
  }
  object.names.add(name)
  object.latest = name
}

/** The index after the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

/** In JSON, exactly the strings before a colon are names. */
function followedByColon(text: string, from: number): boolean {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at++
  return text.charCodeAt(at) === COLON
}
