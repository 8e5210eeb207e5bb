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
const Shown = z.partial(MadeLinkCode, { id: true })
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

/** The code with this id; null once it is used up, revoked or expired. */
export function linkCodeQuery(id: number | undefined) {
  return queryOptions({
    queryKey: [...linkCodesQuery.queryKey, id],
    queryFn: async ({ signal }) => {
      const codes = await callApi(listLinkCodes, { signal }, (body) => rowsOf<LinkCode>(body, 'link_codes'))
      return codes.find((code) => code.id === id) ?? null
    },
  })
}

export function endLinkCode(id: number): Promise<void> {
  return callApi(revokeLinkCode, { params: { id: String(id) } })
}

/** How a device sends: by a modem, by a phone with the app SMS Gateway, or not at all, for a trial. */
export type LinkWay = 'modem' | 'phone' | 'none'

/** How the agent comes to the machine, and how it is called there. */
export const agentCommands: Record<LinkWay, { install: string; agent: string }> = {
  modem: { install: 'sudo npm install -g ./sdd-agent-*.tgz', agent: 'sdd-agent' },
  phone: { install: 'sudo npm install -g ./sdd-agent-*.tgz', agent: 'sdd-agent' },
  none: { install: 'npm ci && npm run build -w @sdd/agent', agent: 'node packages/agent/dist/agent.mjs' },
}

/**
 * The command that links a device. The server chooses its uid, and the agent finds the modem. `app` is the address and
 * user name that the app shows; the agent asks for its password.
 */
export function linkCommand(
  code: string,
  origin: string,
  way: LinkWay = 'modem',
  app?: { url: string; username: string },
): string {
  const link = `${agentCommands[way].agent} link --server ${origin} --code ${code}`
  if (way === 'none') return `${link} --driver simulated`
  if (way === 'modem' || !app) return link
  const [url, username] = [app.url, app.username].map(quoted)
  return `${link} --driver android-gateway --url ${url} --username ${username} --password -`
}

/** A word for a shell, in quotes if it needs them. */
function quoted(word: string): string {
  return /^[\w.:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Whether only the same machine reaches this host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.')
}

/** `9:42`, `1:03:20`. */
export function clockOf(secs: number): string {
  const parts = [Math.floor(secs / 3600), Math.floor((secs % 3600) / 60), secs % 60]
  const [hours = 0, ...rest] = parts
  const shown = hours > 0 ? parts : rest
  return shown.map((part, n) => (n === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
