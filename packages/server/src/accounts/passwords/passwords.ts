import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** The cost of an Argon2id hash: KiB of memory, passes over it, lanes. */
export type PasswordCost = { memory: number; passes: number; parallelism: number }

/** OWASP's second choice for Argon2id: 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 }

const TAG_BYTES = 32

export type Passwords = {
  /** The password in its stored form: Argon2id in the PHC string format, including costs and salt. */
  hash(password: string): Promise<string>
  /** Whether the password matches the hash. Without a hash it takes the same time and returns false. */
  isRight(password: string, hash: string | undefined): Promise<boolean>
}

/** Hashes new passwords at this cost. A stored hash is checked at the cost that it was made with. */
export function openPasswords(cost: PasswordCost): Passwords {
  const nobody = inPhc(cost, 'A'.repeat(22), 'A'.repeat(43))
  return {
    async hash(password) {
      const nonce = randomBytes(16)
      const tag = await derive('argon2id', { message: password, nonce, ...cost, tagLength: TAG_BYTES })
      return inPhc(cost, unpadded(nonce), unpadded(tag))
    },
    async isRight(password, hash) {
      const [, , , costs, salt, stored] = (hash ?? nobody).split('$')
      const [memory, passes, parallelism] = costs!.split(',').map((one) => Number(one.slice(2)))
      const tag = await derive('argon2id', {
        message: password,
        nonce: Buffer.from(salt!, 'base64'),
        memory: memory!,
        passes: passes!,
        parallelism: parallelism!,
        tagLength: TAG_BYTES,
      })
      const matches = timingSafeEqual(tag, Buffer.from(stored!, 'base64'))
      return matches && hash !== undefined
    },
  }
}

function inPhc({ memory, passes, parallelism }: PasswordCost, salt: string, tag: string): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${tag}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
