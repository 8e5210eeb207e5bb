import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { LinkedDevice } from '@sdd/contract/fleet/devices.ts'

/** The linked devices with their secrets, as JSON lines that only the owner can read (mode 0600). */
type AccountFile = {
  find: (uid: string) => LinkedDevice | undefined
  all: () => LinkedDevice[]
  /** Written at once, because a secret is shown only this time. */
  add: (device: LinkedDevice) => void
}

/** Throws an Error that names the file if its content is something else. */
export function openAccountFile(path: string): AccountFile {
  const accounts = new Map<string, LinkedDevice>()
  for (const [i, line] of readLines(path).entries()) {
    try {
      const account = LinkedDevice.parse(JSON.parse(line))
      accounts.set(account.uid, account)
    } catch (cause) {
      throw new Error(`${path} is damaged: line ${i + 1} is not a linked device`, { cause })
    }
  }
  mkdirSync(dirname(path), { recursive: true })
  return {
    find: (uid) => accounts.get(uid),
    all: () => [...accounts.values()],
    add(device) {
      appendFileSync(path, `${JSON.stringify(device)}\n`, { mode: 0o600, flush: true })
      accounts.set(device.uid, device)
    },
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
