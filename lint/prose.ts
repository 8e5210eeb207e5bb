import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Phrases that make people read twice, each with what to write instead. They are looked for in comments, in the titles of
 * tests and in the docs. The list is short on purpose: it keeps what was once cleaned clean, and replaces no reader.
 */
export const PHRASES: readonly { readonly phrase: RegExp; readonly instead: string }[] = [
  { phrase: /\bwhere (?:there|one|that|this|it|they|nobody|no|none|nothing|we|you)\b/i, instead: 'if' },
  {
    phrase: /\b(?:what|who|which) (?:waits?|comes?|came|goes|went|stays?|stands?|stood)\b/i,
    instead: 'a noun',
  },
  { phrase: /\b(?:of|for|with|from|by|about) (?:what|whom|whose|who)\b/i, instead: 'a noun' },
  { phrase: /\b(?:what|who) (?:is|was|are|were|has|had)\b(?![^.:;]*\?)/i, instead: 'a noun' },
  { phrase: /\bwho(?:so)?ever\b/i, instead: 'a noun' },
  {
    phrase: /\bso (?:long|often) (?:as|that)\b|\b(?:for|after|since) so (?:long|many|much)\b/i,
    instead: 'while, this long',
  },
  { phrase: /\banew\b/i, instead: 'again' },
  { phrase: /\bbeside\b/i, instead: 'next to, with, while' },
  { phrase: /\bof others\b/i, instead: 'external, shared' },
  { phrase: /\bnobody\b/i, instead: 'not, no user, no device' },
  { phrase: /\balone\b/i, instead: 'only, on its own' },
  { phrase: /\bshall\b/i, instead: 'must, should' },
  { phrase: /\bhardly\b/i, instead: 'rarely, almost no' },
  { phrase: /\b(?:is|are|was|were) to be\b/i, instead: 'must be, will be' },
  { phrase: /\bthe (?:one|ones) (?:of|that|who|which)\b/i, instead: 'the noun itself' },
]

export type Found = { readonly place: string; readonly phrase: string; readonly instead: string }

/** The most words of a sentence in a page. */
const MOST_WORDS = 30

const SOURCES = ['{packages,lint,scripts,tools,test}/**/*.{ts,tsx,css,cjs}', '*.ts']
const DOCS = ['*.md', '{docs,packages,tools,deploy}/**/*.md']
const LEFT_OUT = ['**/node_modules/**', '**/dist*/**', '**/fixtures/**', '**/licences.md', 'lint/prose.ts']

/** Each such phrase below this folder, with its file and line. */
export function findPhrases(root: string, sources = SOURCES, docs = DOCS): Found[] {
  const paths = (globs: string[]) => globSync(globs, { cwd: root, exclude: LEFT_OUT }).sort()
  const read = (path: string) => readFileSync(join(root, path), 'utf8').split('\n')
  return [
    ...paths(sources).flatMap((path) => phrasesIn(path, proseOfSource(read(path)))),
    ...paths(docs).flatMap((path) => phrasesIn(path, proseOfPage(read(path)))),
  ]
}

/** Each sentence of a page with more than 30 words, outside of tables, code and what a program writes. */
export function findLongSentences(root: string, docs = DOCS): Found[] {
  return globSync(docs, { cwd: root, exclude: LEFT_OUT })
    .sort()
    .flatMap((path) => longSentencesIn(path, proseOfPage(readFileSync(join(root, path), 'utf8').split('\n'))))
}

function longSentencesIn(path: string, lines: readonly string[]): Found[] {
  const found: Found[] = []
  let sentence = ''
  let began = 1
  const end = () => {
    const words = sentence.split(/\s+/).filter((word) => /\w|…/.test(word))
    if (words.length > MOST_WORDS) {
      const instead = `${words.length} words; ${MOST_WORDS} are the most of a sentence`
      found.push({ place: `${path}:${began}`, phrase: sentence.trim(), instead })
    }
    sentence = ''
  }
  for (const [index, line] of lines.entries()) {
    // A table, and the figures that the benchmark writes.
    const isTable = /^\s*\|| · /.test(line)
    // A heading, an item of a list and an empty line begin something new.
    if (isTable || /^\s*(?:$|#|[-*] |\d+\. |<|!\[)/.test(line)) end()
    if (isTable || line.trim() === '') continue
    for (const part of line.replace(/\]\([^)]*\)/g, ']').split(/(?<=[.?!:](?:["”)]|\*\*)?)\s+/)) {
      if (sentence === '') began = index + 1
      sentence += ` ${part}`
      if (/[.?!:](?:["”)]|\*\*)?$/.test(part.trim())) end()
    }
  }
  end()
  return found
}

function phrasesIn(path: string, lines: readonly string[]): Found[] {
  return lines.flatMap((line, index) => {
    if (line === '') return []
    // A phrase may go on in the next line.
    const text = `${line} ${lines[index + 1] ?? ''}`.trimEnd()
    return PHRASES.flatMap(({ phrase, instead }) => {
      const found = phrase.exec(text)
      if (!found || found.index >= line.length) return []
      return [{ place: `${path}:${index + 1}`, phrase: found[0], instead }]
    })
  })
}

/** Of each line its comment, or the title of the test that begins there. */
function proseOfSource(lines: readonly string[]): string[] {
  let within = false
  return lines.map((line) => {
    const text = line.trim()
    if (within || /^\{?\/\*/.test(text)) {
      within = !text.includes('*/')
      return withoutCode(text.replace(/^\{?\/?\*+\/?|\*\/\}?$/g, '').trim())
    }
    const comment = /(?:^|\s)\/\/ (.*)$/.exec(line)?.[1]
    if (comment !== undefined && !/['"`]\S*\/\/ /.test(line)) return withoutCode(comment)
    return withoutCode(/^test\((['"`])(.*?)\1/.exec(text)?.[2] ?? '')
  })
}

function proseOfPage(lines: readonly string[]): string[] {
  let fenced = false
  return lines.map((line) => {
    if (/^\s*```/.test(line)) fenced = !fenced
    return fenced ? '' : withoutCode(line)
  })
}

function withoutCode(text: string): string {
  return text.replace(/`[^`]*`|“[^”]*”|"[^"]*"/g, '…')
}
