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

/** A linked device as the agent's folder stores it, including its secret. */
export const Membership = z.extend(LinkedDevice, {
  server_url: z.string(),
  /** The CA certificate of the server, if this machine does not trust it already. */
  ca_file: z.optional(z.string()),
  linked_at: z.iso.datetime(),
  /** The driver's name and its options: `modem`, `{ port: '/dev/…' }`. */
  driver: z.string(),
  settings: z.record(z.string(), z.string()),
})
export type Membership = z.infer<typeof Membership>

const File = z.object({ devices: z.array(Membership) })

export type Folder = {
  readonly path: string
  readonly ledger_path: string
  /** The socket on which the running agent reports its status. */
  readonly socket_path: string
  /** Throws an Error that names the file if it cannot be read. */
  devices: () => Membership[]
  /** On disk when it returns, because a secret is shown only once. Replaces a device with the same uid. */
  keep: (device: Membership) => void
  /** Changes settings of a device, on disk when it returns; null removes one. Throws if it is no longer linked. */
  changeSettings: (uid: string, changes: Readonly<Record<string, string | null>>) => void
  /** Returns false if no device has that uid. */
  forget: (uid: string) => boolean
  /** Whether users other than the owner can read the secrets. */
  exposed: () => boolean
  /**
   * Takes the lock for the one process that runs the devices; `undefined` if another process holds it. Ends with the
   * process.
   */
  hold: () => (() => void) | undefined
}

/**
 * Opens the agent's folder, and creates it for its owner only if it is missing. Throws an Error that names the remedy.
 */
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
      throw new Error(`${devices_path} ${why}: repair it, or move it away and link again`, { cause })
    }
  }

  /** One writer at a time. A reader sees the old file or the new one, never a part. */
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
    changeSettings: (uid, changes) =>
      change((all) => {
        if (!all.some((device) => device.uid === uid)) throw new Error(`${uid} is not linked here any more`)
        const changed = all.map((device) =>
          device.uid === uid ? { ...device, settings: merged(device.settings, changes) } : device,
        )
        return { devices: changed, result: undefined }
      }),
    forget: (uid) =>
      change((all) => ({
        devices: all.filter((device) => device.uid !== uid),
        result: all.some((device) => device.uid === uid),
      })),
    exposed: () => ((statSync(devices_path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
    hold: () => holdLock(join(path, 'agent.lock')),
  }
}

function merged(
  settings: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const entries = Object.entries({ ...settings, ...changes })
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}

function replace(path: string, text: string): void {
  const next = `${path}.next`
  writeFileSync(next, text, { mode: 0o600, flush: true })
  chmodSync(next, 0o600) // the mode above has no effect on a file that a crash left behind
  renameSync(next, path)
  const folder = openSync(join(path, '..'), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
