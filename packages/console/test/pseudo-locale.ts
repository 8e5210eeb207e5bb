import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Plugin } from 'vite'
import { buildConsole } from '../../../scripts/build-console.ts'
import { ROOT } from '../../../scripts/run.ts'

/**
 * Around each text of the catalogues. The browser shows nothing for them, and the locators of tests ignore them, so
 * that places open as usual.
 */
const [START, END] = ['\u200b', '\u00ad']

/**
 * Added to a file of texts in place of `wording`. A text without letters, such as a separator, is not marked. Of a
 * sentence with times, each part is: its times are elements of their own.
 */
const MARK = `
const part = (text) => (/\\p{L}/u.test(text) ? '${START}' + text.replaceAll('${END}', '') + '${END}' : text)
const marked = (value) =>
  typeof value === 'string' ? value.split(/(\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z)/).map((text, n) => (n % 2 ? text : part(text))).join('')
  : typeof value === 'function' ? (...given) => marked(value(...given))
  : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, marked(v)]))
  : value
`

const PSEUDO_LOCALE = {
  config: 'pseudo-locale.config.ts',
  folder: '../../node_modules/.cache/pseudo-locale',
  sources: ['packages/console/test/pseudo-locale.ts'],
}

/** Builds the console with the usual wording, marked, as its Spanish, once for all test files. Resolves to the folder. */
export async function buildPseudoLocale(): Promise<string> {
  return buildConsole(ROOT, PSEUDO_LOCALE)
}

export function pseudoLocale(): Plugin {
  return {
    name: 'pseudo-locale',
    enforce: 'pre',
    load: {
      filter: { id: /src\/(?!app\/wordings|core\/language).*\.ts$/ },
      async handler(id) {
        if (!id.endsWith('.es.ts')) return markedAsSpecified(id)
        // By default, refusals have the server's sentences, which must not be marked.
        if (/fault-text/.test(id))
          return `${MARK}${(await readFile(id, 'utf8')).replace(/^export const faults = (\{.*?^\})/ms, 'export const faults = marked($1)')}`
        const usual = await readFile(id.replace('.es.ts', '.ts'), 'utf8')
        return `${MARK}const wording = (_, texts) => marked(texts)\n${usual.replace(/^import \{ wording \}.*$/m, '')}`
      },
    },
  }
}

/** A file of texts without a Spanish one next to it, marked. Undefined for any other file. */
async function markedAsSpecified(id: string): Promise<string | undefined> {
  const usual = await readFile(id, 'utf8')
  if (!/= wording\(/.test(usual) || existsSync(id.replace(/\.ts$/, '.es.ts'))) return undefined
  return `${MARK}const wording = (name, texts) => declared(name, marked(texts))\n${usual.replace(/^import \{ wording \}/m, 'import { wording as declared }')}`
}

/** Values of these fields are codes or sentences, not data: the console shows words in place of them. */
const CODES = new Set([
  'action',
  'code',
  'detail',
  'direction',
  'error',
  'error_msg',
  'last_direction',
  'last_error',
  'may',
  'notes',
  'quarantine_reason',
  'reason',
  'role',
  'state',
  'status',
  'subject',
  'task_state',
  'waiting_for',
])

/** The product's name, a key, names of programs, which `programOf` finds in the data, and the initials of a user. */
const NAMES = ['SMS DRONE DASH', 'Enter', 'Chrome', 'Linux', 'Android', 'curl', 'AR']

/** What the API answered so far, and the answers that are still being read. */
export type Data = { texts: Set<string>; reading: Promise<void>[] }

/** Collects the texts in all answers of the API, which may be shown as they are. Call it before opening a place. */
export function collectData(page: Page): Data {
  const data: Data = { texts: new Set(NAMES), reading: [] }
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.startsWith('/api/')) return
    const read = response.json().then(
      (body: unknown) => collect(body, data.texts),
      () => undefined,
    )
    data.reading.push(read)
  })
  return data
}

function collect(value: unknown, data: Set<string>): void {
  if (typeof value === 'string') data.add(value.trim().replace(/\s+/g, ' '))
  else if (value !== null && typeof value === 'object')
    for (const [key, part] of Object.entries(value)) if (!CODES.has(key)) collect(part, data)
}

/** Shown texts, accessible names included, that come neither from a catalogue nor from the server's data. */
export async function untranslated(page: Page, data: Data): Promise<string[]> {
  const texts = await page.evaluate(shownTexts)
  await Promise.all(data.reading)
  const known = [...data.texts].filter((text) => text.length > 1).sort((a, b) => b.length - a.length)
  return [...new Set(texts)].filter((text) => {
    let rest = withoutMarked(text).replace(/\s+/g, ' ')
    for (const one of known) rest = rest.replaceAll(one, ' ')
    return /\p{L}/u.test(rest.replace(UNITS, ' '))
  })
}

/** `42 s`: the same in all languages. */
const UNITS = /(?<=\d\s?)(ms|s|min|h|kB|MB)\b|\b(dBm|MHz|Mbps)\b/g

/** The text outside all marks; marked texts may contain others. */
function withoutMarked(text: string): string {
  let depth = 0
  let rest = ''
  for (const letter of text) {
    if (letter === START) depth++
    else if (letter === END) depth--
    else if (depth === 0) rest += letter
  }
  return rest
}

/** Runs in the page. */
function shownTexts(): string[] {
  const texts: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  // Keys and code are the same in all languages; an element with its own language says so.
  const exempt = 'script, style, noscript, kbd, code, [lang]:not(html)'
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement!
    if (element.closest(exempt) || element.matches('textarea')) continue
    if (!element.checkVisibility() && !element.closest('option, title')) continue
    texts.push(node.textContent ?? '')
  }
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest(exempt)) continue
    for (const name of [
      'aria-label',
      'aria-description',
      'aria-roledescription',
      'placeholder',
      'title',
      'alt',
    ])
      texts.push(element.getAttribute(name) ?? '')
  }
  texts.push(document.title)
  return texts
}
