import { randomInt } from 'node:crypto'
import { hashSecret } from '#server/core/secrets.ts'
import type { Tx } from '#server/database/schema.ts'
import { forgetTries, countTry } from '#server/accounts/passwords/failures.ts'
import { secondFactorStore } from './second-factor.store.ts'
import { stepOf } from './totp.ts'

/** The result of asking for the second factor. */
type Passed = 'none asked' | 'passed' | 'missing' | 'wrong'

/**
 * Checks the second factor, if the user has enabled one: a code of the app or a recovery code. Each code works once. Commit
 * the transaction whatever the result is, since it also counts wrong codes. `too_many_attempts` after 10 wrong codes
 * within 15 minutes.
 */
export async function passSecondFactor(
  tx: Tx,
  user_id: number,
  code: string | undefined,
  now: number,
): Promise<Passed> {
  const store = secondFactorStore(tx, user_id)
  const factor = await store.find()
  if (!factor?.enabled_at) return 'none asked'
  if (!code) return 'missing'
  // Count by user: someone with the password can log in by both the name and the e-mail.
  const tries = await countTry(tx, [{ name: `code of user ${user_id}`, most: 10 }], now)
  if (!(await takeCode(store, factor.secret, code, now))) return 'wrong'
  await forgetTries(tx, tries)
  return 'passed'
}

/** Whether this is a code of the app that was not used before. */
export async function takeAppCode(
  store: Pick<ReturnType<typeof secondFactorStore>, 'useStep'>,
  secret: string,
  code: string,
  now: number,
): Promise<boolean> {
  const step = stepOf(Buffer.from(secret, 'base64url'), code.replaceAll(/\s/g, ''), now)
  return step !== undefined && store.useStep(step)
}

async function takeCode(
  store: ReturnType<typeof secondFactorStore>,
  secret: string,
  code: string,
  now: number,
): Promise<boolean> {
  return (
    (await takeAppCode(store, secret, code, now)) ||
    store.useRecoveryCode(hashSecret(normalisedRecoveryCode(code)))
  )
}

/** Without look-alike characters. 24 of them are 120 bits, too many to guess against a plain hash (ASVS 6.5.2). */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const RECOVERY_CODES = 10
const LETTERS = 24

/** Ten codes such as `ABCD-EFGH-JKLM-NPQR-STUV-WXYZ`. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)])
    return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-')
  })
}

/** Accepts any spacing and case. */
export function normalisedRecoveryCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase()
}
