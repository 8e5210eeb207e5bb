import assert from 'node:assert/strict'
import { COMMAND, SmppFault } from '../../../packages/server/src/outward/doors/smpp/codec/commands.ts'
import { openFrames } from '../../../packages/server/src/outward/doors/smpp/codec/frames.ts'
import { text } from '../../../packages/server/src/outward/doors/smpp/codec/octets.ts'
import { joinText, readPiece } from '../../../packages/server/src/outward/doors/smpp/codec/parts.ts'
import {
  type Pdu,
  readBind,
  readCancel,
  readPdu,
  readQuery,
  readSubmit,
  writePdu,
} from '../../../packages/server/src/outward/doors/smpp/codec/pdus.ts'
import { readTime } from '../../../packages/server/src/outward/doors/smpp/codec/times.ts'
import type { Target } from '../target.ts'
import { orAllowed } from './allowed.ts'

const NOW_MS = Date.parse('2026-06-10T08:00:00Z')

const submit = (esm_class: number, data_coding: number, message: Buffer, ...rest: Buffer[]) =>
  Buffer.concat([
    text(''),
    Buffer.of(1, 1),
    text('34611000001'),
    Buffer.of(1, 1),
    text('34600111222'),
    Buffer.of(esm_class, 0, 0),
    text('260610100000000R'),
    text('000001000000000R'),
    Buffer.of(1, 0, data_coding, 0, message.length),
    message,
    ...rest,
  ])
const sar = Buffer.from('020c00020001020e000103020f000102', 'hex')

const pdus = (
  [
    [
      COMMAND.bind_transceiver,
      Buffer.concat([text('shop'), text('sdk_x'), text(''), Buffer.of(0x34, 0, 0, 0)]),
    ],
    [COMMAND.submit_sm, submit(0, 0, Buffer.from('hello'))],
    [COMMAND.submit_sm, submit(0x40, 0, Buffer.from('050003070201hello', 'latin1'))],
    [COMMAND.submit_sm, submit(0x40, 8, Buffer.from('0608040007020100480069', 'hex'))],
    [COMMAND.submit_sm, submit(0, 3, Buffer.alloc(0), sar, Buffer.from('04240003616263', 'hex'))],
    [COMMAND.query_sm, Buffer.concat([text('0b0d'), Buffer.of(0, 0, 0)])],
    [COMMAND.cancel_sm, Buffer.concat([text(''), text('0b0d'), Buffer.of(0, 0, 0, 0, 0, 0)])],
    [COMMAND.enquire_link, Buffer.alloc(0)],
  ] as const
).map(([command, body], sequence) => writePdu({ command, status: 0, sequence, body }))

/** One connection's bytes, chunked as the first one says: the result is whole PDUs, or a refusal that SMPP knows. */
export const smpp: Target = {
  name: 'smpp',
  package: 'server',
  seeds: [...pdus.map((pdu) => Buffer.concat([Buffer.of(5), pdu])), Buffer.concat([Buffer.of(17), ...pdus])],
  words: [...pdus, sar, '\0\0\0\x10', '\x04\x24', '\x05\0\x03', '\x06\x08\x04'],
  check(input) {
    const [size = 0] = input
    const stream = input.subarray(1)
    const whole = framesOf([stream])
    assert.deepEqual(framesOf(cut(stream, 1 + (size % 64))), whole, 'the result is the same in any chunks')
    const written = whole.frames.map((frame) => writePdu(readPdu(frame)))
    const octets = Buffer.concat(written)
    assert.deepEqual(octets, stream.subarray(0, octets.length), 'the PDUs add up to the stream')
    for (const frame of whole.frames) orAllowed(SmppFault, () => judge(readPdu(frame)))
  },
}

function judge({ command, body }: Pdu): void {
  switch (command) {
    case COMMAND.bind_transceiver:
      return assert.ok(readBind(body).password.length < body.length)
    case COMMAND.query_sm:
      return assert.ok(readQuery(body).length <= 64)
    case COMMAND.cancel_sm:
      return assert.ok(readCancel(body).length <= 64)
    case COMMAND.submit_sm: {
      const asked = readSubmit(body)
      for (const written of [asked.schedule_delivery_time, asked.validity_period])
        assert.ok(!Number.isNaN(readTime(written, NOW_MS)))
      const piece = readPiece(asked)
      const { part } = piece
      if (part) assert.ok(part.n >= 1 && part.n <= part.of && part.of <= 255)
      assert.ok(joinText([piece]).length <= piece.octets.length)
    }
  }
}

function framesOf(chunks: readonly Buffer[]): { frames: Buffer[]; refused: boolean } {
  const open = openFrames()
  const frames: Buffer[] = []
  const read = orAllowed(SmppFault, () => {
    for (const chunk of chunks) for (const frame of open.push(chunk)) frames.push(Buffer.from(frame))
  })
  return { frames, refused: 'error' in read }
}

function cut(stream: Buffer, size: number): Buffer[] {
  const count = Math.ceil(stream.length / size)
  return Array.from({ length: count }, (_, n) => stream.subarray(n * size, (n + 1) * size))
}
