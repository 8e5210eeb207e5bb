/** A field's name: a letter or `_`, then letters, digits and `_`, 40 characters in all. Compared in NFC. */
export const FIELD_NAME = /^[\p{L}_][\p{L}\p{N}_]{0,39}$/u

/** A text with fields, in pieces: plain text, and names of fields between them. */
export type TemplateText = readonly (string | { readonly field: string })[]

/** Why a text is no template, and the words that it stumbles over. */
export type TemplateFault = { why: 'not_closed' | 'not_a_field'; near: string }

/**
 * Reads a text with `{{field}}`, blanks inside the braces allowed. `\{{` stands for two braces. A `{{` without `}}` is
 * a fault, and so is anything between them that cannot be a field's name.
 */
export function parseTemplateText(
  text: string,
): { pieces: TemplateText; fault?: never } | { pieces?: never; fault: TemplateFault } {
  const pieces: (string | { field: string })[] = []
  let plain = ''
  let at = 0
  while (at < text.length) {
    const open = text.indexOf('{{', at)
    if (open === -1) break
    if (text[open - 1] === '\\' && open > at) {
      plain += `${text.slice(at, open - 1)}{{`
      at = open + 2
      continue
    }
    const close = text.indexOf('}}', open + 2)
    if (close === -1) return { fault: { why: 'not_closed', near: text.slice(open, open + 20) } }
    const field = text
      .slice(open + 2, close)
      .trim()
      .normalize('NFC')
    if (!FIELD_NAME.test(field)) return { fault: { why: 'not_a_field', near: text.slice(open, close + 2) } }
    plain += text.slice(at, open)
    if (plain !== '') pieces.push(plain)
    plain = ''
    pieces.push({ field })
    at = close + 2
  }
  plain += text.slice(at)
  if (plain !== '') pieces.push(plain)
  return { pieces }
}

/** The fault as a sentence about the text. */
export function explainTemplateFault({ why, near }: TemplateFault): string {
  const quoted = JSON.stringify(near.slice(0, 60))
  return why === 'not_closed'
    ? `holds {{ without }} at ${quoted}: close it, or write \\{{ for two braces`
    : `holds ${quoted}, which is no field: its name begins with a letter or _ and has letters, digits and _, 40 at most`
}

/** The names of the fields that a text uses, each once. */
export function fieldsOf(pieces: TemplateText): string[] {
  return [...new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : piece.field)))]
}

/** A field's own value; undefined if there is none. A property of every object, such as `constructor`, is no value. */
export function ownField(
  fields: Readonly<Record<string, string>> | undefined,
  field: string,
): string | undefined {
  return fields && Object.hasOwn(fields, field) ? fields[field] : undefined
}

/**
 * The text for one recipient. A value is put in as it is. Without a value for a field, or with an empty one, there is
 * no text: `missing` names the field.
 */
export function renderTemplateText(
  pieces: TemplateText,
  valueOf: (field: string) => string | null | undefined,
): { text: string; missing?: never } | { text?: never; missing: string } {
  let text = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece
      continue
    }
    const value = valueOf(piece.field)
    if (value === undefined || value === null || value === '') return { missing: piece.field }
    text += value
  }
  return { text }
}
