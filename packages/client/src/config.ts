import { ADDRESS, isAddress } from './requests.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Access = {
  url: string
  key: string | undefined
  /** A person instead of a key. */
  login: { username: string; password: string; code?: string } | undefined
}

/** A wrong argument or variable. Its message says which. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Where `sdd` calls, and as whom. Throws a `UsageError` that names the missing or wrong variable. */
export function readAccess(env: Environment = process.env): Access {
  const { SDD_URL: url, SDD_KEY: key, SDD_USER: username, SDD_PASSWORD: password, SDD_CODE: code } = env
  if (!url) throw new UsageError('Set SDD_URL to the address of the server, such as https://sms.example.com')
  if (!isAddress(url)) throw new UsageError(`SDD_URL ${ADDRESS}`)
  if (key) return { url, key, login: undefined }
  if (!username || !password)
    throw new UsageError('Set SDD_KEY to an API key, or SDD_USER and SDD_PASSWORD to those of a person')
  return { url, key: undefined, login: { username, password, ...(code && { code }) } }
}
