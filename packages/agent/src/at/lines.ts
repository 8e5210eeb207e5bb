const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const DEL = 0x7f
const PROMPT = '>'.charCodeAt(0)

/** No modem sends a longer line: a CMGL answer has some 400 bytes per line. */
export const LONGEST_LINE_BYTES = 64 * 1024

/** A USSD text has 182 characters at most. */
const MOST_USSD_LINES = 20

type Lines = {
  /** A line without its line end and surrounding blanks; never empty. */
  line: (text: string) => void
  /** `>` at the start of a line: the modem waits for a PDU. No line end follows it. */
  prompt: () => void
  /** Too many bytes arrived without a line end, and were dropped. */
  overflow: () => void
}

/**
 * Splits a modem's bytes, in chunks of any size, into lines. CR, LF, CR LF and CR CR LF all end a line. Control bytes
 * (an echoed Ctrl-Z or ESC, noise) are dropped, except in a USSD answer: it may have letters of the GSM alphabet.
 * Bytes are read as Latin-1, so that every byte is valid.
 */
export function splitLines(to: Lines): (chunk: Uint8Array) => void {
  let pending: number[] = []
  let discarding = false
  /** In how many more lines a USSD text may end that began in an earlier one. */
  let ussd_lines = 0

  function endLine(): void {
    discarding = false
    if (pending.length === 0) return
    // `trim` also removes the non-breaking space of Latin-1.
    const text = Buffer.from(pending).toString('latin1').trim()
    pending = []
    if (text === '') return
    if (text.startsWith('+CUSD')) ussd_lines = MOST_USSD_LINES
    if (/"\s*(,\s*\d*)?$|^\+CUSD:\s*\d$/.test(text)) ussd_lines = 0
    if (ussd_lines > 0) ussd_lines--
    to.line(text)
  }

  return (chunk) => {
    for (const byte of chunk) {
      if (byte === CR || byte === LF) endLine()
      else if (discarding || ((byte < SPACE || byte === DEL) && ussd_lines === 0 && !startsUssd(pending)))
        continue
      else if (pending.length > 0) pending.push(byte)
      else if (byte === PROMPT) to.prompt()
      else if (byte !== SPACE) pending.push(byte)
      if (pending.length > LONGEST_LINE_BYTES) {
        pending = []
        discarding = true
        to.overflow()
      }
    }
  }
}

function startsUssd(pending: readonly number[]): boolean {
  return pending[2] === 0x55 && Buffer.from(pending.slice(0, 5)).toString('latin1') === '+CUSD'
}
