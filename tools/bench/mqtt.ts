/** The part of MQTT 3.1.1 that the benchmark's devices and browsers need. */
export type Packet = { type: number; body: Buffer }

export const CONNACK = 2
export const PUBLISH = 3
export const PUBACK = 4
export const SUBACK = 9

export const PINGREQ = Buffer.from([0xc0, 0])

export function connectPacket(needs: {
  client_id: string
  username: string
  password: string
  will?: { topic: string; payload: string }
}): Buffer {
  const { client_id, username, password, will } = needs
  const flags = 0xc2 | (will ? 0x0c : 0)
  const parts = [text('MQTT'), Buffer.from([4, flags, 0, KEEP_ALIVE_SECS]), text(client_id)]
  if (will) parts.push(text(will.topic), text(will.payload))
  return frame(0x10, [...parts, text(username), text(password)])
}
const KEEP_ALIVE_SECS = 120

export function subscribePacket(id: number, ...topics: string[]): Buffer {
  return frame(0x82, [uint16(id), ...topics.flatMap((topic) => [text(topic), Buffer.from([1])])])
}

/** With QoS 1. */
export function publishPacket(id: number, topic: string, payload: string): Buffer {
  return frame(0x32, [text(topic), uint16(id), Buffer.from(payload)])
}

export function pubackPacket(id: number): Buffer {
  return Buffer.from([0x40, 2, id >> 8, id & 0xff])
}

/** Splits incoming bytes into complete packets; the rest waits for the next call. */
export function openPackets(): (bytes: Buffer) => Packet[] {
  let rest: Buffer | undefined
  return (bytes) => {
    const all = rest ? Buffer.concat([rest, bytes]) : bytes
    const packets: Packet[] = []
    let at = 0
    for (;;) {
      let [length, shift, here] = [0, 0, at + 1]
      while (here < all.length) {
        const byte = all[here++]!
        length |= (byte & 0x7f) << shift
        shift += 7
        if (byte < 0x80) {
          shift = -1
          break
        }
      }
      if (shift !== -1 || here + length > all.length) break
      packets.push({ type: all[at]! >> 4, body: all.subarray(here, here + length) })
      at = here + length
    }
    rest = at === all.length ? undefined : all.subarray(at)
    return packets
  }
}

/** Reads a PUBLISH; `id` only if it wants a PUBACK, as `flags` in the first byte would say. */
export function readPublish(body: Buffer, qos: 0 | 1): { topic: string; id: number; payload: Buffer } {
  const end = 2 + body.readUInt16BE(0)
  const topic = body.toString('latin1', 2, end)
  return qos === 0
    ? { topic, id: 0, payload: body.subarray(end) }
    : { topic, id: body.readUInt16BE(end), payload: body.subarray(end + 2) }
}

function frame(first: number, parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const head = [first]
  let left = length
  do {
    head.push(left > 0x7f ? (left & 0x7f) | 0x80 : left)
    left >>>= 7
  } while (left > 0)
  return Buffer.concat([Buffer.from(head), ...parts])
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint16(bytes.length), bytes])
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}
