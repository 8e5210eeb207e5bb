import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '#server/core/refusal.ts'
import { loginKey } from '#server/accounts/users/users.ts'

const LIST = join(import.meta.dirname, 'common-passwords.txt')
const PRODUCT = 'SMS DRONE DASH'

/**
 * Refuses a password that others would try first, as `invalid` with this field: one of the commonest, or the person's
 * name or e-mail or the product's name, also with up to three digits or signs after it; all without case.
 */
export async function refuseGuessable(
  password: string,
  { name, email }: { name: string; email: string },
  field: 'password' | 'new_password',
): Promise<void> {
  const names = { 'the user’s name': name, 'the user’s e-mail': email, 'the product’s name': PRODUCT }
  for (const [whose, text] of Object.entries(names)) {
    if (isVariant(password, text)) throw refused(field, `is ${whose}, or nearly: choose something else`)
  }
  if (await isCommon(password)) {
    throw refused(field, 'is one of the commonest passwords: choose another, such as several words')
  }
}

function refused(field: string, why: string): Refusal {
  return new Refusal('invalid', `What was sent is not valid. ${field}: ${why}.`, { fields: { [field]: why } })
}

/** Whether it is this text with at most three more characters, none of them a letter; blanks do not count. */
function isVariant(password: string, text: string): boolean {
  const [given, base] = [password, text].map((each) => loginKey(each).replaceAll(/\s/g, ''))
  return given!.startsWith(base!) && /^\P{L}{0,3}$/u.test(given!.slice(base!.length))
}

/** The list is read each time: passwords are set so rarely that it is not worth its memory. */
async function isCommon(password: string): Promise<boolean> {
  const list = await readFile(LIST, 'utf8')
  return list.includes(`\n${loginKey(password)}\n`)
}
