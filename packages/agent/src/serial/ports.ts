import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Linux names each port here by its hardware, which does not change when the ttyUSB number does. */
const BY_ID = '/dev/serial/by-id'

/** The plugged-in serial ports. */
export async function portsById(folder = BY_ID): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.sort((a, b) => (a < b ? -1 : 1)).map((name) => join(folder, name))
}

/** The device files of a setting: the setting itself, or with a `*` at its end all files with that prefix. */
export async function portsLike(setting: string): Promise<string[]> {
  if (!setting.endsWith('*')) return [setting]
  const start = setting.slice(0, -1)
  return (await portsById(dirname(`${start}x`))).filter((port) => port.startsWith(start))
}

/** The plugged-in sticks, each as the setting that matches its ports. */
export async function sticksById(folder = BY_ID): Promise<string[]> {
  const ports = await portsById(folder)
  const sticks = Map.groupBy(ports, (port) => port.replace(/-if[0-9a-f]{2}.*$/i, '-if'))
  return [...sticks].map(([start, matching]) => (matching.length === 1 ? matching[0]! : `${start}*`))
}
