import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './run.ts'

const INSTALL_WITHIN_MS = 5 * 60_000
const FOLDERS = ['/usr/sbin', '/usr/bin', '/opt/homebrew/sbin', '/opt/homebrew/bin']

/** Where a program of the system is, by its name. */
export function findProgram(name: string): string | undefined {
  const folders = [...FOLDERS, ...(process.env.PATH ?? '').split(delimiter)]
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

/** Installs Debian packages that tests need, if run as root on Debian. Otherwise does nothing. */
export async function installDebian(...packages: string[]): Promise<void> {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return
  console.log(`Some tests need ${packages.join(', ')}: installing.`)
  const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, timeout_ms: INSTALL_WITHIN_MS }
  await run('apt-get', ['update', '-q'], options)
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], options)
}

/**
 * A program that tests need, installed from its Debian package if it is missing. Throws an error that says what to do if
 * that fails too.
 */
export async function needProgram(name: string, ...packages: string[]): Promise<string> {
  if (findProgram(name) === undefined) await installDebian(...packages)
  const path = findProgram(name)
  if (path === undefined)
    throw new Error(`No ${name} for the tests. Install it (Debian: apt-get install ${packages.join(' ')}).`)
  return path
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
