const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const DEL = 0x7f
const PROMPT = '>'.charCodeAt(0)

/** No modem sends a longer line: a CMGL answer has some 400 bytes per line. */
export const LONGEST_LINE_BYTES = 64 * 1024

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
 * (an echoed Ctrl-Z or ESC, noise) are dropped. Bytes are read as Latin-1, so that every byte is valid.
 */
export function splitLines(to: Lines): (chunk: Uint8Array) => void {
  let pending: number[] = []
  let discarding = false

  function endLine(): void {
    discarding = false
    if (pending.length === 0) return
    // `trim` also removes the non-breaking space of Latin-1.
    const text = Buffer.from(pending).toString('latin1').trim()
    pending = []
    if (text !== '') to.line(text)
  }

  return (chunk) => {
    for (const byte of chunk) {
      if (byte === CR || byte === LF) endLine()
      else if (discarding || byte < SPACE || byte === DEL) continue
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
