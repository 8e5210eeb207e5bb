import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fieldParams } from '@sdd/contract/core/error-params.ts'
import { errorStatus } from '@sdd/contract/core/errors.ts'
import { wordings as en } from '#console/app/wordings.en.ts'
import { wordings as es } from '#console/app/wordings.es.ts'
import { AS_SPECIFIED } from '#console/core/language.ts'
import * as english from '#console/core/fault-text.en.ts'
import * as spanish from '#console/core/fault-text.es.ts'
import type { Sentences } from '#console/core/said.ts'

const SRC = join(import.meta.dirname, '..')
const indexes: Record<string, Record<string, object | string | undefined>> = { es, en }

const files = globSync('**/*.ts', { cwd: SRC }).filter((file) =>
  readFileSync(join(SRC, file), 'utf8').includes("= wording('"),
)

/** The texts in it, flat, by their path: a text, or `()` for a function. */
function textsIn(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return [[path, '()']]
  return Object.entries(value as object)
    .flatMap(([key, part]) => textsIn(part, `${path}.${key}`))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

async function wordingIn(language: string, name: string, specified: unknown): Promise<unknown> {
  const found = indexes[language]?.[name]
  if (found === AS_SPECIFIED) return specified
  return typeof found === 'function' ? ((await found()) as Record<string, unknown>)[name] : found
}

test('each file of texts is found', () => {
  assert.ok(files.length >= 10, files.join())
})

for (const file of files) {
  test(`${file} has the same keys in Spanish and in English, and no text is empty`, async () => {
    const exported = Object.entries((await import(join(SRC, file))) as object)
    for (const [name, specified] of exported) {
      const usual = textsIn(specified, name)
      for (const language of ['es', 'en']) {
        const texts = textsIn(await wordingIn(language, name, specified), name)
        assert.deepEqual(
          texts.map(([path]) => path),
          usual.map(([path]) => path),
          language,
        )
        for (const [n, [path, text]] of texts.entries())
          assert.equal(text === '', usual[n]![1] === '', `${path} in ${language}`)
      }
    }
  })

  test(`no sentence of ${file} is the same in Spanish and in English`, async () => {
    for (const [name, specified] of Object.entries((await import(join(SRC, file))) as object)) {
      const inSpanish = textsIn(await wordingIn('es', name, specified), name)
      const inEnglish = textsIn(await wordingIn('en', name, specified), name)
      for (const [n, [path, text]] of inSpanish.entries())
        if (text.split(' ').length > 3) assert.notEqual(text, inEnglish[n]![1], path)
    }
  })
}

/** Some of the facts that the server sends. */
const facts = {
  device: 'Drone-1',
  since: '2026-01-31T09:30:00.000Z',
  limit: 5,
  sent: 4,
  min: 1,
  max: 9,
  retry_after: 30,
}

for (const [language, { refusals, fieldFaults }] of Object.entries({ es: spanish, en: english })) {
  test(`each code of a refusal has a sentence in ${language}, with and without its facts`, () => {
    for (const code of Object.keys(errorStatus)) checkSentence(refusals, code)
    for (const code of Object.keys(fieldParams)) checkSentence(fieldFaults, code)
  })
}

function checkSentence(sentences: Sentences, code: string): void {
  for (const params of [{}, facts]) {
    const sentence = sentences[code]?.(params)
    assert.match(sentence ?? '', /^[^a-z].*\.$/, code)
    assert.doesNotMatch(sentence ?? '', /undefined|null|NaN/, code)
  }
}
