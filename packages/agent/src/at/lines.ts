const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const DEL = 0x7f
const PROMPT = '>'.charCodeAt(0)

/** What is longer is no line of a modem: a CMGL answer has some 400 bytes a line. */
export const LONGEST_LINE_BYTES = 64 * 1024

export type Lines = {
  /** A line without its ends and without blanks around it; never an empty one. */
  line: (text: string) => void
  /** `>` where a line would begin: the modem waits for a PDU. No line end follows it. */
  prompt: () => void
  /** So many bytes came without a line end that they were dropped. */
  overflow: () => void
}

/**
 * Takes a modem's bytes as they come, cut anywhere, into lines. CR, LF, CR LF and CR CR LF all end one. Control bytes
 * (an echoed Ctrl-Z or ESC, noise) are dropped. Bytes are read as Latin-1, so that none is refused.
 */
export function splitLines(to: Lines): (chunk: Uint8Array) => void {
  let pending: number[] = []
  let discarding = false

  function endLine(): void {
    discarding = false
    if (pending.length === 0) return
    // Latin-1 has a blank of its own, the one that does not break.
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
