/** The query of a request's URL, which may contain further question marks. */
export function rawQueryOf(url = ''): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}
