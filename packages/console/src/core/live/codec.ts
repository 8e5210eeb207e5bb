/** What MQTT 3.1.1 needs to listen: nothing here knows a socket. */
export type Packet =
  | { type: 'connack'; code: number }
  | { type: 'suback'; id: number; codes: number[] }
  | { type: 'publish'; topic: string; payload: string; id: number | undefined }
  | { type: 'pingresp' }
  | { type: 'other' }

/** A peer that sends more than this in one packet is not ours. */
const MOST_BYTES = 1024 * 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const PINGREQ = Uint8Array.of(0xc0, 0)
export const DISCONNECT = Uint8Array.of(0xe0, 0)

/** A CONNECT for a clean session with a user name and a password. */
export function connectPacket(spec: {
  clientId: string
  username: string
  password: string
  keepAliveSecs: number
}): Uint8Array<ArrayBuffer> {
  const CLEAN_USER_PASSWORD = 0b1100_0010
  const header = [...text('MQTT'), 4, CLEAN_USER_PASSWORD, spec.keepAliveSecs >> 8, spec.keepAliveSecs & 0xff]
  return packet(0x10, [...header, ...text(spec.clientId), ...text(spec.username), ...text(spec.password)])
}

/** A SUBSCRIBE to these topics at QoS 0. */
export function subscribePacket(id: number, topics: readonly string[]): Uint8Array<ArrayBuffer> {
  return packet(0x82, [id >> 8, id & 0xff, ...topics.flatMap((topic) => [...text(topic), 0])])
}

export function pubackPacket(id: number): Uint8Array<ArrayBuffer> {
  return packet(0x40, [id >> 8, id & 0xff])
}

/**
 * Cuts a stream of bytes into packets, however the frames cut it: several in one, or one over several. Throws a
 * RangeError for bytes that cannot be MQTT.
 */
export function packetReader(hear: (packet: Packet) => void): (chunk: Uint8Array) => void {
  let held: Uint8Array = new Uint8Array(0)
  return (chunk) => {
    held = held.length === 0 ? chunk : joined(held, chunk)
    for (let next = cut(held); next; next = cut(held)) {
      held = held.subarray(next.end)
      hear(parse(next.first, next.body))
    }
  }
}

function cut(bytes: Uint8Array): { first: number; body: Uint8Array; end: number } | undefined {
  let length = 0
  for (let at = 1; at <= 4; at++) {
    const digit = bytes[at]
    if (digit === undefined) return undefined
    length += (digit & 0x7f) * 128 ** (at - 1)
    if (digit & 0x80) continue
    if (length > MOST_BYTES) throw new RangeError(`a packet of ${length} bytes`)
    const end = at + 1 + length
    return bytes.length < end ? undefined : { first: bytes[0] ?? 0, body: bytes.subarray(at + 1, end), end }
  }
  throw new RangeError('a length of more than four digits')
}

function parse(first: number, body: Uint8Array): Packet {
  switch (first >> 4) {
    case 2:
      return { type: 'connack', code: body[1] ?? 0xff }
    case 3:
      return publish(first, body)
    case 9:
      return { type: 'suback', id: word(body, 0), codes: [...body.subarray(2)] }
    case 13:
      return { type: 'pingresp' }
    default:
      return { type: 'other' }
  }
}

function publish(first: number, body: Uint8Array): Packet {
  const qos = (first >> 1) & 3
  const topicEnd = 2 + word(body, 0)
  const payloadAt = qos > 0 ? topicEnd + 2 : topicEnd
  if (payloadAt > body.length) throw new RangeError('a PUBLISH shorter than its topic')
  return {
    type: 'publish',
    topic: decoder.decode(body.subarray(2, topicEnd)),
    payload: decoder.decode(body.subarray(payloadAt)),
    id: qos > 0 ? word(body, topicEnd) : undefined,
  }
}

function packet(first: number, body: readonly number[]): Uint8Array<ArrayBuffer> {
  const length: number[] = []
  for (let rest = body.length; ; rest >>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest)
    if (rest <= 127) break
  }
  return Uint8Array.from([first, ...length, ...body])
}

function text(value: string): number[] {
  const bytes = encoder.encode(value)
  return [bytes.length >> 8, bytes.length & 0xff, ...bytes]
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}
