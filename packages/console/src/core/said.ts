import type { CallFault } from '@sdd/contract/core/client.ts'

/** The facts of a sentence, by name. Times are ISO 8601. */
export type Params = Readonly<Record<string, string | number | undefined>>

/** Makes the sentence of each code. */
export type Sentences<Code extends string = string> = Readonly<Record<Code, (params: Params) => string>>

/** A code of the server, with the facts of its sentence. */
export type Said = { code: string; params: Params }

/** What a refusal says, and what it says about each invalid field. */
export function saidIn({
  body,
  code,
  retry_after_secs,
  fields,
}: CallFault): Said & { fields: [string, Said][] } {
  const { params, field_codes } = (body ?? {}) as {
    params?: unknown
    field_codes?: Record<string, Partial<Said>>
  }
  return {
    code,
    params: { retry_after: retry_after_secs, ...paramsIn(params) },
    fields: Object.keys(fields).map((name) => {
      const said = field_codes?.[name]
      return [name, { code: said?.code ?? '', params: paramsIn(said?.params) }]
    }),
  }
}

/** The facts in a field of an answer; empty if it has none. Lists become texts, and null counts as absent. */
export function paramsIn(value: unknown): Params {
  const given = Object.entries((value ?? {}) as Record<string, unknown>).filter(([, fact]) => fact !== null)
  return Object.fromEntries(
    given.map(([name, fact]) => [name, Array.isArray(fact) ? fact.join(', ') : fact]),
  ) as Params
}

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** The sentence of the code, with its times as `dayOfYear` writes their days; `otherwise` if the code has none. */
export function sentenceOf(
  sentences: Sentences,
  { code, params }: Said,
  { dayOfYear, otherwise }: { dayOfYear: (at: Date) => string; otherwise: string },
): string {
  const sentence = Object.hasOwn(sentences, code) ? sentences[code]!(params) : otherwise
  return sentence.replace(INSTANT, (iso) => {
    const at = new Date(iso)
    return `${dayOfYear(at)} ${at.toTimeString().slice(0, 5)}`
  })
}

/** The sentence of a code whose facts have types; undefined if it has none. */
export function typedSentence<Code extends string>(
  sentences: Readonly<Record<Code, (facts: never) => string>>,
  code: Code | null | undefined,
  facts: unknown,
): string | undefined {
  return code && Object.hasOwn(sentences, code) ? sentences[code]((facts ?? {}) as never) : undefined
}
