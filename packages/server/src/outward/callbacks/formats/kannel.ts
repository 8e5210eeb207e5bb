/** What the escapes in a URL of Kannel's stand for. */
type Escaped = {
  /** `%p`, `%P`: of a report the recipient and the sender; of a received SMS the sender and the SIM's number. */
  number: string
  own_number: string
  /** `%d` */
  report?: number
  at_ms: number
  device_uid: string
  guid: string
  answer?: string
  text: string
}

/**
 * Fills in the escapes of a URL, percent-encoded. Escapes that are not known are left empty. `%` before a digit begins a
 * percent-encoding, as in `%20`, and stays.
 */
export function fillEscapes(url: string, values: Escaped): string {
  const { number, own_number, report, at_ms, device_uid, guid, answer, text } = values
  const time = new Date(at_ms).toISOString()
  const escapes: Record<string, string> = {
    d: report === undefined ? '' : String(report),
    p: number,
    P: own_number,
    t: `${time.slice(0, 10)} ${time.slice(11, 16)}`,
    T: String(Math.floor(at_ms / 1_000)),
    i: device_uid,
    I: guid,
    F: guid,
    A: answer ?? '',
    a: text,
  }
  return url.replace(/%([A-Za-z%])/g, (_, letter: string) =>
    letter === '%' ? '%' : encodeURIComponent((escapes[letter] ?? '').toWellFormed()),
  )
}
