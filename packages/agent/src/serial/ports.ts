import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Linux names each port here by what is plugged in, whatever number it has now. */
export const BY_ID = '/dev/serial/by-id'

/** The ports of modems and their like that are plugged in. */
export async function portsById(folder = BY_ID): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.sort((a, b) => (a < b ? -1 : 1)).map((name) => join(folder, name))
}

/** The device files that a setting stands for: itself, or with a `*` at its end all that begin like it. */
export async function portsLike(setting: string): Promise<string[]> {
  if (!setting.endsWith('*')) return [setting]
  const start = setting.slice(0, -1)
  return (await portsById(dirname(`${start}x`))).filter((port) => port.startsWith(start))
}

/** The sticks that are plugged in, each as the setting that stands for its ports. */
export async function sticksById(folder = BY_ID): Promise<string[]> {
  const ports = await portsById(folder)
  const sticks = Map.groupBy(ports, (port) => port.replace(/-if[0-9a-f]{2}.*$/i, '-if'))
  return [...sticks].map(([start, its]) => (its.length === 1 ? its[0]! : `${start}*`))
}
