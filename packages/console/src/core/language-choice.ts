import { LANGUAGES, setLanguage, type Language } from '#console/core/language.ts'
import { readSession, saveLanguage, whenStored } from '#console/core/session.ts'

/** The key of the last answer in this browser: a language, or `none` for the usual wording. */
const ANSWER = 'language'

/** The language of the user's account or, if it has none, the one accepted in this browser. */
function chosenLanguage(): Language | undefined {
  const language = readSession()?.language ?? localStorage.getItem(ANSWER)
  return LANGUAGES.find((one) => one === language)
}

/** Shows the chosen language; resolves when it is shown. If its texts cannot be loaded, the wording stays. */
export async function followLanguage(): Promise<void> {
  await setLanguage(chosenLanguage()).catch((fault: unknown) => console.error(fault))
}

/** Follows choices made in other tabs. */
export function followOtherTabs(): void {
  whenStored([ANSWER, 'user_language'], () => void followLanguage())
}

/** Records an answer of the signed-in user, stored in the account by the caller. */
export function keepLanguage(language: Language | null): Promise<void> {
  saveLanguage(language)
  return answerOffer(language)
}

/** Records an answer for this browser only. */
export function answerOffer(language: Language | null): Promise<void> {
  localStorage.setItem(ANSWER, language ?? 'none')
  return followLanguage()
}

/** The browser's own language, if this browser was never asked. */
export function offeredLanguage(): Language | undefined {
  if (localStorage.getItem(ANSWER) !== null) return undefined
  return LANGUAGES.find((language) => navigator.language.toLowerCase().split('-')[0] === language)
}
