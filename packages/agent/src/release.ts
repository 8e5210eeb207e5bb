import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Names the other files of a release with their SHA-256, as `sha256sum` writes them. */
export const SUMS = 'SHA256SUMS'
/** The Ed25519 signature of that file, in Base64. */
export const SIGNATURE = 'SHA256SUMS.sig'

/** Reads the public key of the releases. */
export async function readReleaseKey(path: string): Promise<KeyObject> {
  const pem = await readFile(path, 'utf8').catch(() => {
    throw new Error(
      `There is no key of the releases at ${path}: name it with --key, and without it install nothing`,
    )
  })
  const key = keyIn(pem)
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new Error(`${path} is not the public key of the releases: it must be an Ed25519 key as PEM`)
  return key
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}

/**
 * Checks that every file of this folder is of a release that was signed with the key, and unchanged; the folder may have
 * some of its files only. Resolves to their names. Rejects with one sentence that says why none of them may be installed.
 */
export async function verifyRelease(folder: string, key: KeyObject): Promise<string[]> {
  const sums = await readFile(join(folder, SUMS)).catch(() => {
    throw new Error(`${folder} is not a release: it has no ${SUMS}`)
  })
  const signature = await readFile(join(folder, SIGNATURE), 'utf8').catch(() => {
    throw new Error(`This release is not signed: it has no ${SIGNATURE}. Do not install it`)
  })
  if (!verify(null, sums, key, Buffer.from(signature, 'base64')))
    throw new Error('This release is signed with another key, or its list was changed. Do not install it')

  const listed = new Map(
    sums
      .toString()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)] as const),
  )
  const files = (await readdir(folder)).filter((name) => name !== SUMS && name !== SIGNATURE)
  if (files.length === 0) throw new Error(`${folder} has no file of the release`)
  for (const name of files) {
    const expected = listed.get(name)
    if (expected === undefined) throw new Error(`${name} is not of this release. Do not install it`)
    if ((await sha256(join(folder, name))) !== expected)
      throw new Error(`${name} is damaged or was changed. Do not install it`)
  }
  return files
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
