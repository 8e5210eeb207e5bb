import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import * as z from 'zod/mini'
import { holdLock } from './lock.ts'

/** A linked device as the agent's folder has it, secret and all. */
export const Membership = z.extend(LinkedDevice, {
  server_url: z.string(),
  /** Who vouches for the server, where it is not who this machine trusts anyway. */
  ca_file: z.optional(z.string()),
  linked_at: z.iso.datetime(),
  /** By the names of its options: `modem`, `{ port: '/dev/…' }`. */
  driver: z.string(),
  settings: z.record(z.string(), z.string()),
})
export type Membership = z.infer<typeof Membership>

const File = z.object({ devices: z.array(Membership) })

export type Folder = {
  readonly path: string
  readonly ledger_path: string
  /** Where the running agent can be asked how it is. */
  readonly socket_path: string
  /** Throws an Error that names the file where it cannot be read. */
  devices: () => Membership[]
  /** Kept, on disk, when it returns: a secret is shown only once. One of the same uid is replaced. */
  keep: (device: Membership) => void
  /** False where there is none of that uid. */
  forget: (uid: string) => boolean
  /** Whether others than its owner may read the secrets. */
  exposed: () => boolean
  /** For the one process that runs the devices; `undefined` where another does. Ends with the process. */
  hold: () => (() => void) | undefined
}

/** The agent's folder; made, for its owner alone, where it is missing. Throws an Error that says what to do. */
export function openFolder(path: string): Folder {
  const devices_path = join(path, 'devices.json')
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(`Cannot make the folder ${path} (${codeOf(cause)}): choose another with --dir`, { cause })
  }

  function devices(): Membership[] {
    try {
      return File.parse(JSON.parse(readFileSync(devices_path, 'utf8'))).devices
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return []
      const why = codeOf(cause) === 'EACCES' ? 'is not yours to read' : 'is damaged'
      throw new Error(`${devices_path} ${why}: mend it, or move it away and link again`, { cause })
    }
  }

  /** One writer at a time, and a reader sees the old file or the new one, never a part. */
  function change<T>(work: (devices: Membership[]) => { devices: Membership[]; result: T }): T {
    const unlock = holdLock(join(path, 'devices.lock'))
    if (!unlock) throw new Error(`Another command is changing ${devices_path}: try again`)
    try {
      const { devices: changed, result } = work(devices())
      replace(devices_path, `${JSON.stringify({ devices: changed }, null, 2)}\n`)
      return result
    } catch (cause) {
      if (codeOf(cause) === undefined) throw cause
      throw new Error(`Cannot write ${devices_path} (${codeOf(cause)}): is the disk full, or not yours?`, {
        cause,
      })
    } finally {
      unlock()
    }
  }

  return {
    path,
    ledger_path: join(path, 'ledger.db'),
    socket_path: join(path, 'agent.sock'),
    devices,
    keep: (device) =>
      change((all) => ({
        devices: [...all.filter(({ uid }) => uid !== device.uid), device],
        result: undefined,
      })),
    forget: (uid) =>
      change((all) => ({
        devices: all.filter((device) => device.uid !== uid),
        result: all.some((device) => device.uid === uid),
      })),
    exposed: () => ((statSync(devices_path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
    hold: () => holdLock(join(path, 'agent.lock')),
  }
}

function replace(path: string, text: string): void {
  const next = `${path}.next`
  writeFileSync(next, text, { mode: 0o600, flush: true })
  chmodSync(next, 0o600) // of a file left behind by a crash, the mode above changes nothing
  renameSync(next, path)
  const folder = openSync(join(path, '..'), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
