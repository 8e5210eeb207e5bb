import { useSyncExternalStore } from 'react'
import { openListeners } from '#console/core/listeners.ts'

/** A language that a user may choose. Without one, each text has the wording of the user specification. */
export type Language = 'es' | 'en'
export const LANGUAGES: readonly Language[] = ['es', 'en']

/** The same keys in any language: texts, functions of the same arguments that return a text, and groups of these. */
export type Words<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string
    ? string
    : Texts[Key] extends (...given: never) => unknown
      ? Texts[Key]
      : Words<Texts[Key]>
}

/** In place of texts that have the same words in this language. */
export const AS_SPECIFIED = 'as specified'

/** The wordings of one language by the name of their texts, or how to load the file that exports them. */
export type Wordings = Readonly<Record<string, object | typeof AS_SPECIFIED>>

type Catalogue = { name: string; shown: object; specified: object }

const catalogues: Catalogue[] = []
const { listen, tell } = openListeners()
let load: (language: Language) => Promise<Wordings>
let current: Language | undefined
let wanted: Language | undefined
/** The texts being loaded for parts of the console that were loaded after the language was chosen. */
let loading: Promise<unknown> = Promise.resolve()

/**
 * Declares texts by their wording in the user specification; `name` is the name of the export. The result always has
 * the texts of the current language: read them while drawing, not while a module loads.
 */
export function wording<Texts extends object>(name: string, specified: Texts): Words<Texts> {
  const shown = { ...specified }
  const catalogue = { name, shown, specified }
  catalogues.push(catalogue)
  // Without these texts, the usual wording stays.
  if (current) loading = Promise.all([loading, show(catalogue, current).catch(console.error)])
  return shown as Words<Texts>
}

async function show(catalogue: Catalogue, language: Language): Promise<void> {
  const texts = await textsOf(catalogue, language)
  if (language === current) Object.assign(catalogue.shown, texts)
}

/** Sets the source of the other wordings. */
export function loadLanguagesFrom(source: typeof load): void {
  load = source
}

async function textsOf({ name, specified }: Catalogue, language: Language | undefined): Promise<object> {
  if (!language) return specified
  const texts = (await load(language))[name]
  if (texts === AS_SPECIFIED) return specified
  const loaded = typeof texts === 'function' ? ((await texts()) as Record<string, object>)[name] : texts
  if (!loaded) throw new Error(`${name} has no wording in ${language}`)
  return loaded
}

/** Loads the texts of the language, then shows them everywhere at once. Rejects, and changes nothing, if that fails. */
export async function setLanguage(language: Language | undefined): Promise<void> {
  wanted = language
  let texts: object[] = []
  // Once more if a part of the console was loaded meanwhile.
  while (texts.length < catalogues.length)
    texts = await Promise.all(catalogues.map((catalogue) => textsOf(catalogue, language)))
  if (language !== wanted || language === current) return
  current = language
  for (const [n, { shown }] of catalogues.entries()) Object.assign(shown, texts[n])
  document.documentElement.lang = language ?? 'es'
  tell()
}

export function currentLanguage(): Language | undefined {
  return current
}

/** The chosen language. The component is drawn again when it changes. */
export function useLanguage(): Language | undefined {
  return useSyncExternalStore(listen, currentLanguage)
}

/** A value with texts in it, such as columns: one object as long as the language stays the same. */
export function perLanguage<Value>(make: () => Value): () => Value {
  let kept: { language: Language | undefined; value: Value } | undefined
  return () => {
    if (kept?.language !== current || !kept) kept = { language: current, value: make() }
    return kept.value
  }
}

/** Loads a module, and the texts that it declares. */
export async function withTexts<Module>(load: () => Promise<Module>): Promise<Module> {
  const module = await load()
  for (let seen; seen !== loading;) {
    seen = loading
    await seen
  }
  return module
}
