/** The most bytes kept of the output of an order. */
const MOST_BYTES = 16 * 1024

/** The text as the database can keep it, cut to 16 KiB with a mark that says so. */
export function keptOutput(text: string): string {
  const whole = text.replaceAll('\0', '\uFFFD').toWellFormed()
  const bytes = Buffer.from(whole)
  if (bytes.length <= MOST_BYTES) return whole
  const mark = `\n[…] [cut, it had ${bytes.length} bytes]`
  const room = MOST_BYTES - Buffer.byteLength(mark)
  // Not in the middle of a character: a continuation byte begins with the bits 10.
  let end = room
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString() + mark
}
