import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Phrases that make people read twice, each with a better wording. The check searches comments, test titles and pages.
 * The list is short: it finds phrases that were once removed if they come back. It cannot find an unclear sentence.
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

/** The maximum length of a sentence on a page, in words. */
const MOST_WORDS = 30

const SOURCES = ['{packages,lint,scripts,tools,test}/**/*.{ts,tsx,css,cjs}', '*.ts']
const DOCS = ['*.md', '{docs,packages,tools,deploy}/**/*.md']
const LEFT_OUT = ['**/node_modules/**', '**/dist*/**', '**/fixtures/**', '**/licences.md', 'lint/prose.ts']

/** Finds these phrases in the sources and pages below a folder. */
export function findPhrases(root: string, sources = SOURCES, docs = DOCS): Found[] {
  const paths = (globs: string[]) => globSync(globs, { cwd: root, exclude: LEFT_OUT }).sort()
  const read = (path: string) => readFileSync(join(root, path), 'utf8').split('\n')
  return [
    ...paths(sources).flatMap((path) => phrasesIn(path, proseOfSource(read(path)))),
    ...paths(docs).flatMap((path) => phrasesIn(path, proseOfPage(read(path)))),
  ]
}

/** Finds sentences of pages that are too long. Skips tables, code and generated figures. */
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
      const instead = `${words.length} words; at most ${MOST_WORDS}`
      found.push({ place: `${path}:${began}`, phrase: sentence.trim(), instead })
    }
    sentence = ''
  }
  for (const [index, line] of lines.entries()) {
    // Lines with ` · ` are figures that the benchmark writes.
    const isTable = /^\s*\|| · /.test(line)
    // A heading, a list item or an empty line ends the sentence before it.
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
    // A phrase may continue on the next line.
    const text = `${line} ${lines[index + 1] ?? ''}`.trimEnd()
    return PHRASES.flatMap(({ phrase, instead }) => {
      const found = phrase.exec(text)
      if (!found || found.index >= line.length) return []
      return [{ place: `${path}:${index + 1}`, phrase: found[0], instead }]
    })
  })
}

/** A call whose first argument is the title of a test or of a group of tests. */
const TITLED_CALL = /^(?:await )?(?:t\.)?(?:test\w*|describe|suite|it)(?:\.\w+)?\(/

const TEXT = /^(['"`])((?:\\.|(?!\1).)*)/

/** Reduces each line to its prose: its comment or test title, or an empty string. */
function proseOfSource(lines: readonly string[]): string[] {
  let within = false
  return lines.map((line, index) => {
    const text = line.trim()
    if (within || /^\{?\/\*/.test(text)) {
      within = !text.includes('*/')
      return withoutCode(text.replace(/^\{?\/?\*+\/?|\*\/\}?$/g, '').trim())
    }
    const comment = /(?:^|\s)\/\/ (.*)$/.exec(line)?.[1]
    if (comment !== undefined && !/['"`]\S*\/\/ /.test(line)) return withoutCode(comment)
    return withoutCode(titleIn(text, lines[index - 1]?.trim() ?? ''))
  })
}

/** The test title on a line. The call may be on the line before. */
function titleIn(line: string, before: string): string {
  const call = TITLED_CALL.exec(line)?.[0] ?? ''
  const beginsBefore = TITLED_CALL.exec(before)?.[0] === before && before !== ''
  return call || beginsBefore ? (TEXT.exec(line.slice(call.length))?.[2] ?? '') : ''
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
