/** The browser version of `text.ts`. */
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function byteLength(text: string): number {
  return encoder.encode(text).length
}

export function newBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length)
}

export function writeText(bytes: Uint8Array, text: string, at: number): number {
  return encoder.encodeInto(text, bytes.subarray(at)).written
}

export function readText(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return decoder.decode(bytes.subarray(from, to))
}
