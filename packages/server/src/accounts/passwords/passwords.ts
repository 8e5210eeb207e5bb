import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

// OWASP's second choice for Argon2id: 19 MiB, two passes, one lane.
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/** The password as it is stored: Argon2id in the PHC string format, costs and salt included. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: password, nonce, ...COST })
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

/** Whether the password is the one that was hashed. Without a hash it takes as long and says no. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, , , costs, salt, stored] = (hash ?? NOBODY).split('$')
  const [memory, passes, parallelism] = costs!.split(',').map((cost) => Number(cost.slice(2)))
  const tag = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(salt!, 'base64'),
    memory: memory!,
    passes: passes!,
    parallelism: parallelism!,
    tagLength: COST.tagLength,
  })
  const matches = timingSafeEqual(tag, Buffer.from(stored!, 'base64'))
  return matches && hash !== undefined
}

const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
