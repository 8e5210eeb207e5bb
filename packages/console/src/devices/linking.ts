import { createLinkCode, type LinkCode } from '@sdd/contract/devices.ts'
import { call } from '#console/core/api.ts'

/** A code with which so many devices may join until it expires. */
export function makeLinkCode(uses: number, expires_in_secs: number): Promise<LinkCode> {
  return call(createLinkCode, { body: { uses, expires_in_secs } })
}

/** The line that joins a device: its agent asks for the rest, or finds it out. */
export function linkCommand(code: string, origin: string): string {
  return `sdd-agent link --server ${origin} --code ${code}`
}

/** `9:42`, `1:03:20`. */
export function clockOf(secs: number): string {
  const parts = [Math.floor(secs / 3600), Math.floor((secs % 3600) / 60), secs % 60]
  const [hours = 0, ...rest] = parts
  const shown = hours > 0 ? parts : rest
  return shown.map((part, n) => (n === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
