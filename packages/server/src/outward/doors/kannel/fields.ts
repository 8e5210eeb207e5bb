/** The fields of a request to Kannel. Values are bytes, because the field `charset` decides what they mean. */
export type KannelFields = {
  /** As text; empty if it is absent. */
  get(name: string): string
  /** The bytes of the first field of this name. */
  bytes(name: string): Buffer | undefined
}

/** Reads queries and forms, percent-encoded. The first field of a name counts. Nothing that is written is an error. */
export function readFields(...written: string[]): KannelFields {
  const fields = new Map<string, Buffer>()
  for (const pair of written.flatMap((part) => part.split('&'))) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals)).toString()
    if (!fields.has(name)) fields.set(name, decode(equals < 0 ? '' : pair.slice(equals + 1)))
  }
  return {
    get: (name) => fields.get(name)?.toString() ?? '',
    bytes: (name) => fields.get(name),
  }
}

/** A byte that is not a whole escape stands for itself. `text` has a character for each byte. */
function decode(text: string): Buffer {
  const plain = text.replaceAll('+', ' ')
  const bytes = plain.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1')
}
