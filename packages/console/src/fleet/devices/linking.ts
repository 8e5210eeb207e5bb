import {
  createLinkCode,
  type LinkCode,
  listLinkCodes,
  MadeLinkCode,
  revokeLinkCode,
} from '@sdd/contract/fleet/devices.ts'
import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { callApi, rowsOf } from '#console/core/api.ts'

/**
 * The fields of a code that the dialog shows. A server that implements only the user specification may leave out the
 * id.
 */
const Shown = z.omit(MadeLinkCode, { id: true })
export type ShownCode = z.infer<typeof Shown>

/** Makes a code that this many devices can join with until it expires. */
export function makeLinkCode(uses: number, expires_in_secs: number): Promise<ShownCode> {
  return callApi(createLinkCode, { query: {}, body: { uses, expires_in_secs } }, (body) => Shown.parse(body))
}

/** The valid codes. Reloaded with the devices, since each device that joins uses one. */
export const linkCodesQuery = queryOptions({
  queryKey: ['devices', 'link_codes'],
  queryFn: ({ signal }) => callApi(listLinkCodes, { signal }, (body) => rowsOf<LinkCode>(body, 'link_codes')),
})

export function endLinkCode(id: number): Promise<void> {
  return callApi(revokeLinkCode, { params: { id: String(id) } })
}

/** The command that links a device. The agent asks for the rest or detects it. */
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
