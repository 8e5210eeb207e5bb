/**
 * `DATABASE_URL` may list several servers, as in libpq
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS):
 * `postgres://user:password@a:5432,b/database`, or `?host=a,b&port=5432`. The client library supports one server per
 * URL.
 */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)([^?#]*)(?:\?([^#]*))?$/

/** All of these allow a server that accepts writes, which is always required. */
const ATTRIBUTES = new Set(['any', 'read-write', 'primary'])

/** One URL for each listed server. Throws if the URL is wrong; the message repeats no part of it. */
export function urlsOf(url: string): [string, ...string[]] {
  const [, start, authority, path, query] = PARTS.exec(url) ?? []
  if (start === undefined) return [url]
  const parameters = new URLSearchParams(query)
  const wanted = parameters.get('target_session_attrs')
  if (wanted !== null && !ATTRIBUTES.has(wanted))
    throw new Error('target_session_attrs must be read-write, as the server writes')
  const [hosts, ports] = [listOf(parameters.get('host')), listOf(parameters.get('port'))]
  const servers = hosts.length > 0 ? hosts : listOf(authority ?? '')
  if (servers.length < 2) return [url]
  if (servers.includes(''))
    throw new Error('the list of servers has a gap; it must be like host1:5432,host2:5432')
  if (ports.length > 1 && ports.length !== servers.length)
    throw new Error('there must be one port for all servers, or one for each')
  parameters.delete('target_session_attrs')
  const urls = servers.map((server, index) => {
    const own_parameters = new URLSearchParams(parameters)
    if (hosts.length > 0) own_parameters.set('host', server)
    if (ports.length > 0) own_parameters.set('port', ports[index] ?? ports[0]!)
    const rest = own_parameters.size > 0 ? `?${own_parameters.toString()}` : ''
    return `${start}${hosts.length > 0 ? authority : server}${path}${rest}`
  })
  return urls as [string, ...string[]]
}

/** The server in a URL, for a log: no user, no password. */
export function serverOf(url: string): string {
  const [, , authority, , query] = PARTS.exec(url) ?? []
  return new URLSearchParams(query).get('host') || authority || 'localhost'
}

function listOf(text: string | null): string[] {
  return text ? text.split(',') : []
}
