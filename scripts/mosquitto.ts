import { accessSync, constants, existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './run.ts'

export type Mosquitto = {
  /** The broker, and the program that writes the initial file of its dynamic security. */
  broker: string
  control: string
  /** The dynamic security plugin. */
  plugin: string
}

const INSTALL_WITHIN_MS = 5 * 60_000
const PLUGINS = ['/usr/lib/*/mosquitto_dynamic_security.so', '/usr/lib{,64}/mosquitto_dynamic_security.so']
const OF_BREW = '/opt/homebrew/{lib,Cellar/mosquitto/*/lib}/mosquitto_dynamic_security.so'

/**
 * Mosquitto 2 with its dynamic security plugin, for the tests with an external broker. If it is missing, it is
 * installed with apt if run as root on Debian. If that fails too, throws an error that says what to do.
 */
export async function findMosquitto(): Promise<Mosquitto> {
  const here = mosquittoHere()
  if (here) return here
  await withApt()
  const installed = mosquittoHere()
  if (installed) return installed
  throw new Error(
    'No Mosquitto 2 with its dynamic security plugin for the tests with an external broker. Install it (Debian: apt-get install mosquitto mosquitto-clients; macOS: brew install mosquitto).',
  )
}

function mosquittoHere(): Mosquitto | undefined {
  const folders = [
    '/usr/sbin',
    '/usr/bin',
    '/opt/homebrew/sbin',
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  const find = (name: string) => folders.map((folder) => join(folder, name)).find(isProgram)
  const [broker, control] = [find('mosquitto'), find('mosquitto_ctrl')]
  const [plugin] = globSync([...PLUGINS, OF_BREW])
  return broker && control && plugin ? { broker, control, plugin } : undefined
}

async function withApt(): Promise<void> {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return
  console.log('The tests with an external broker need a Mosquitto and there is none: installing one.')
  const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, timeout_ms: INSTALL_WITHIN_MS }
  await run('apt-get', ['update', '-q'], options)
  const packages = ['mosquitto', 'mosquitto-clients']
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], options)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
