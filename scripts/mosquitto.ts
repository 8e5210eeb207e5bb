import { globSync } from 'node:fs'
import { findProgram, installDebian } from './debian.ts'

export type Mosquitto = {
  /** The broker, and the program that writes the initial file of its dynamic security. */
  broker: string
  control: string
  /** The dynamic security plugin. */
  plugin: string
}

const PLUGINS = ['/usr/lib/*/mosquitto_dynamic_security.so', '/usr/lib{,64}/mosquitto_dynamic_security.so']
const OF_BREW = '/opt/homebrew/{lib,Cellar/mosquitto/*/lib}/mosquitto_dynamic_security.so'

/**
 * Mosquitto 2 with its dynamic security plugin, for the tests with an external broker. If it is missing, it is
 * installed with apt if run as root on Debian. If that fails too, throws an error that says what to do.
 */
export async function findMosquitto(): Promise<Mosquitto> {
  const here = mosquittoHere()
  if (here) return here
  await installDebian('mosquitto', 'mosquitto-clients')
  const installed = mosquittoHere()
  if (installed) return installed
  throw new Error(
    'No Mosquitto 2 with its dynamic security plugin for the tests with an external broker. Install it (Debian: apt-get install mosquitto mosquitto-clients; macOS: brew install mosquitto).',
  )
}

function mosquittoHere(): Mosquitto | undefined {
  const [broker, control] = [findProgram('mosquitto'), findProgram('mosquitto_ctrl')]
  const [plugin] = globSync([...PLUGINS, OF_BREW])
  return broker && control && plugin ? { broker, control, plugin } : undefined
}
