import { openFrames } from './frames.ts'

/** No valid peer sends a larger packet. */
const ALLOWED = { most_bytes: 1024 * 1024 }
const anyHeader = () => ALLOWED

/**
 * Passes each packet of a stream to `take`, however its chunks cut it. `read` is `readServerPacket` or
 * `readClientPacket`. The returned function throws a `ProtocolError` for bytes that are not MQTT.
 */
export function packetReader<Packet>(
  read: (frame: Uint8Array) => Packet,
  take: (packet: Packet) => void,
): (chunk: Uint8Array) => void {
  const frames = openFrames(anyHeader)
  return (chunk) => {
    frames.push(chunk)
    for (let frame = frames.next(); frame; frame = frames.next()) take(read(frame))
  }
}
