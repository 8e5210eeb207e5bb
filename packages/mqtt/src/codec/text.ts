/** Text and memory in Node, where Buffer is faster than TextEncoder. A bundle for browsers takes `text.browser.ts`. */

/** How many bytes the text has in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

/** Memory whose bytes are all to be written: they hold anything. */
export function newBytes(length: number): Uint8Array<ArrayBuffer> {
  return Buffer.allocUnsafe(length)
}

/** Writes into what `newBytes` gave; returns how many bytes it wrote. */
export function writeText(bytes: Uint8Array, text: string, at: number): number {
  return asBuffer(bytes).write(text, at)
}

/** Bytes that are not UTF-8 become U+FFFD. */
export function readText(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return asBuffer(bytes).toString('utf8', from, to)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
