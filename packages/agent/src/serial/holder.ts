import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** A program that has a device open. */
type Holder = { pid: number; name: string }

/** Opens every modem that it sees, and often keeps it open. */
const MODEM_MANAGER = 'ModemManager'

/**
 * The program that has the device open, by its real path (/dev/ttyUSB0). Undefined if none is found, which can mean
 * that this user may not see it. Works only on Linux; other systems have no `proc` folder.
 */
export async function holderOf(device: string, proc = '/proc'): Promise<Holder | undefined> {
  for (const pid of await pidsIn(proc)) {
    if (pid === process.pid) continue
    for (const fd of await list(join(proc, String(pid), 'fd'))) {
      if ((await readlink(join(proc, String(pid), 'fd', fd)).catch(() => '')) !== device) continue
      return { pid, name: await nameOf(pid, proc) }
    }
  }
  return undefined
}

/** Whether ModemManager runs. Only root can see its open files. */
export async function modemManagerRuns(proc = '/proc'): Promise<boolean> {
  for (const pid of await pidsIn(proc)) if ((await nameOf(pid, proc)) === MODEM_MANAGER) return true
  return false
}

/** Names the program that holds the port, and the remedy. */
export function heldBy(port: string, { pid, name }: Holder): string {
  return name === MODEM_MANAGER
    ? `${port} is held by ModemManager: ${LET_GO_OF_MODEMS}`
    : `${port} is held by another program: ${name} (process ${pid}). End it, or give the agent another port`
}

export const LET_GO_OF_MODEMS =
  'stop it (`sudo systemctl disable --now ModemManager`), or keep it off this modem with the udev property ID_MM_DEVICE_IGNORE=1'

async function pidsIn(proc: string): Promise<number[]> {
  return (await list(proc)).filter((entry) => /^\d+$/.test(entry)).map(Number)
}

async function nameOf(pid: number, proc: string): Promise<string> {
  const comm = await readFile(join(proc, String(pid), 'comm'), 'utf8').catch(() => '')
  return comm.trim() || 'a program without a name'
}

/** Empty if the folder does not exist, or this user may not read it. */
async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
