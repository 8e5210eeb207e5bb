import { readFile } from 'node:fs/promises'
import { sourcePath } from '#server/core/source-path.ts'
import { invalidField } from '#server/core/field-faults.ts'
import type { Refusal } from '#server/core/refusal.ts'
import { loginKey } from '#server/accounts/users/users.ts'

const LIST = sourcePath('accounts/user-editing/common-passwords.txt')
const PRODUCT = 'SMS DRONE DASH'

/**
 * Refuses a password that an attacker would try first, as `invalid` with this field. That is a very common password, or
 * the person's name, their e-mail or the product's name with up to three digits or signs after it. Case does not
 * matter.
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
  return invalidField(field, why, 'common_password', {})
}

/** Whether the password is this text plus at most three characters that are not letters. Whitespace is ignored. */
function isVariant(password: string, text: string): boolean {
  const [given, base] = [password, text].map((each) => loginKey(each).replaceAll(/\s/g, ''))
  return given!.startsWith(base!) && /^\P{L}{0,3}$/u.test(given!.slice(base!.length))
}

/** Reads the list each time: passwords are set too rarely to keep it in memory. */
async function isCommon(password: string): Promise<boolean> {
  const list = await readFile(LIST, 'utf8')
  return list.includes(`\n${loginKey(password)}\n`)
}
