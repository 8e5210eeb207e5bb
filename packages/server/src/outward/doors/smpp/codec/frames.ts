import { SmppFault, STATUS } from './commands.ts'

export const HEADER_OCTETS = 16
const MOST_OCTETS = 64 * 1024
const LENGTH_OCTETS = 4

/**
 * Cuts a connection's octets into PDUs. `push` returns those that the chunk completes, and throws a `SmppFault` for a
 * length that no PDU may have. The rest of the stream cannot be read then.
 */
export function openFrames() {
  let chunks: Buffer[] = []
  let octets = 0
  /** The length of the next PDU, once it is known. */
  let needed: number | undefined

  function join(): Buffer {
    const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    chunks = [whole]
    return whole
  }

  function* take(): Generator<Buffer> {
    while (octets >= (needed ?? LENGTH_OCTETS)) {
      const whole = join()
      if (needed === undefined) {
        needed = whole.readUInt32BE(0)
        if (needed < HEADER_OCTETS || needed > MOST_OCTETS) throw new SmppFault(STATUS.bad_command_length)
        continue
      }
      yield whole.subarray(0, needed)
      chunks = [whole.subarray(needed)]
      octets -= needed
      needed = undefined
    }
  }

  return {
    push(chunk: Buffer): Generator<Buffer> {
      chunks.push(chunk)
      octets += chunk.length
      return take()
    },
  }
}
