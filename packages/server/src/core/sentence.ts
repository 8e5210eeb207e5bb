/**
 * An English sentence with facts in it that is stored as text. One template writes it and reads its facts back, so that
 * programs get them without a second column.
 */
export type Sentence<Facts extends object> = {
  write(facts: Facts): string
  /** The facts of a text that this template wrote; `undefined` for any other text. */
  read(text: string): Facts | undefined
}

/** What the facts of these names look like. Any other fact is a text. */
const PATTERNS = {
  attempt: String.raw`\d+`,
  parts: String.raw`\d+`,
  failures: String.raw`\d+`,
  status: String.raw`\d+`,
  secs: String.raw`[\d.]+`,
  device: '[A-Za-z0-9._-]+',
  at: String.raw`\d{4}-[\d:.TZ-]+`,
  expires_at: String.raw`\d{4}-[\d:.TZ-]+`,
} as const satisfies Record<string, string>

type Numeric = 'attempt' | 'parts' | 'failures' | 'status' | 'secs'
const NUMERIC: readonly string[] = ['attempt', 'parts', 'failures', 'status', 'secs'] satisfies Numeric[]

type Names<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

type FactsOf<Template extends string> = {
  [Name in Names<Template>]: Name extends Numeric ? number : string
}

/** The sentence of a template such as `{attempt}: given to {device}`. */
export function sentence<const Template extends string>(template: Template): Sentence<FactsOf<Template>> {
  const pieces = template.split(/\{(\w+)\}/)
  const pattern = new RegExp(
    `^${pieces.map((piece, n) => (n % 2 ? patternOf(piece) : literal(piece))).join('')}$`,
  )
  // The longest piece is a cheap test, and most texts fail it.
  const sign = pieces
    .filter((_, n) => n % 2 === 0)
    .reduce((one, other) => (other.length > one.length ? other : one))
  return {
    write: (facts) =>
      pieces.map((piece, n) => (n % 2 ? String((facts as Record<string, unknown>)[piece]) : piece)).join(''),
    read(text) {
      if (!text.includes(sign)) return undefined
      const found = pattern.exec(text)
      if (!found) return undefined
      const facts = Object.entries(found.groups ?? {}).map(([name, fact]) => [
        name,
        NUMERIC.includes(name) ? Number(fact) : fact,
      ])
      return Object.fromEntries(facts) as FactsOf<Template>
    },
  }
}

function patternOf(name: string): string {
  return `(?<${name}>${(PATTERNS as Record<string, string>)[name] ?? '[^]*'})`
}

function literal(piece: string): string {
  return piece.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** The code and the facts of a text that one of these sentences wrote. The first that fits counts. */
export function readSentence<All extends Record<string, { read(text: string): object | undefined }>>(
  sentences: All,
  text: string,
): { code: Extract<keyof All, string>; params: Record<string, string | number> } | undefined {
  for (const [code, { read }] of Object.entries(sentences)) {
    const params = read(text)
    if (params) return { code: code as Extract<keyof All, string>, params: { ...params } }
  }
  return undefined
}
