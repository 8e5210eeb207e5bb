import * as z from 'zod'

/** A host, or all its subdomains. `port` undefined: 80 for http, 443 for https. */
type ListedHost = {
  readonly host: string
  readonly below: boolean
  readonly port: number | undefined
}

/**
 * Parses hosts as an operator lists them: `hooks.example.com, *.example.org:8443`. `undefined` if one of them is
 * invalid.
 */
export function readHosts(text: string): ListedHost[] | undefined {
  const hosts = text.split(',').map((entry) => readHost(entry.trim()))
  return hosts.every((host) => host !== undefined) ? hosts : undefined
}

/** A setting that lists hosts. If it is unset, every host is allowed. `meaning` begins its description. */
export function hostList(meaning: string) {
  return z
    .string()
    .transform(readHosts)
    .refine((hosts) => hosts !== undefined, WHICH_HOSTS)
    .optional()
    .meta({ description: `${meaning}, ${HOW}`, unset: 'all' })
}

const WHICH_HOSTS =
  'must be hosts, such as hooks.example.com, *.example.org:8443 or [2001:db8::1], separated by commas'
const HOW =
  'by commas: `hooks.example.com` (at ports 443 and 80), `*.example.org:8443` (all names below it, at this port)'

/** Whether the list contains the host and port of the URL. */
export function listsHost(hosts: readonly ListedHost[], url: URL): boolean {
  const name = hostOf(url)
  const usual = url.protocol === 'https:' ? 443 : 80
  return hosts.some(
    ({ host, below, port = usual }) =>
      (below ? name.endsWith(`.${host}`) : name === host) && Number(url.port || usual) === port,
  )
}

/** The name or address in a URL, in the form used for comparisons and DNS look-ups. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '')
}

const ENTRY = /^(\*\.)?([^\s/@?#\\*:[\]]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i

function readHost(entry: string): ListedHost | undefined {
  const [, wildcard, name = '', digits] = ENTRY.exec(entry) ?? []
  const given = `http://${name}`
  const port = digits === undefined ? undefined : Number(digits)
  if (name === '' || !URL.canParse(given) || port === 0 || (port ?? 0) > 65_535) return undefined
  return { host: hostOf(new URL(given)), below: wildcard !== undefined, port }
}
