/** Text and memory in Node, where Buffer is faster than TextEncoder. A bundle for browsers takes `text.browser.ts`. */

/** The length of the text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

/** Uninitialized memory: the caller must write every byte. */
export function newBytes(length: number): Uint8Array<ArrayBuffer> {
  return Buffer.allocUnsafe(length)
}

/** Writes into memory from `newBytes` and returns the number of bytes written. */
export function writeText(bytes: Uint8Array, text: string, at: number): number {
  return asBuffer(bytes).write(text, at)
}

/** Invalid UTF-8 becomes U+FFFD. */
export function readText(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return asBuffer(bytes).toString('utf8', from, to)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
