import { SmppFault, STATUS } from './commands.ts'

/** Reads the fields of a body. Throws a `SmppFault` if the body ends within one. */
export function openReader(body: Buffer) {
  let at = 0

  function take(count: number): Buffer {
    if (at + count > body.length) throw new SmppFault(STATUS.bad_command_length)
    return body.subarray(at, (at += count))
  }

  return {
    octet: (): number => take(1)[0]!,
    take,
    /** A C-octet string of at most this many octets, its NUL included. */
    text(most: number): string {
      const end = body.indexOf(0, at)
      if (end < 0 || end - at >= most) throw new SmppFault(STATUS.bad_command_length)
      const text = body.toString('latin1', at, end)
      at = end + 1
      return text
    },
    /** The optional parameters, which follow all other fields. Of several with the same tag, the last counts. */
    parameters(): Map<number, Buffer> {
      const found = new Map<number, Buffer>()
      while (at < body.length) {
        const tag = take(2).readUInt16BE()
        found.set(tag, take(take(2).readUInt16BE()))
      }
      return found
    },
  }
}

export type Reader = ReturnType<typeof openReader>

/** A C-octet string. */
export function text(written: string): Buffer {
  return Buffer.from(`${written}\0`, 'latin1')
}

export function parameter(tag: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(tag, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value])
}

export const TAG = {
  receipted_message_id: 0x001e,
  sar_msg_ref_num: 0x020c,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  sc_interface_version: 0x0210,
  message_payload: 0x0424,
  message_state: 0x0427,
} as const
