import { once } from 'node:events'
import { connect } from 'node:net'
import { COMMAND, RESPONSE } from '../../../packages/server/src/outward/doors/smpp/codec/commands.ts'
import { openFrames } from '../../../packages/server/src/outward/doors/smpp/codec/frames.ts'
import { text } from '../../../packages/server/src/outward/doors/smpp/codec/octets.ts'
import { readPdu, writePdu } from '../../../packages/server/src/outward/doors/smpp/codec/pdus.ts'

export type SmppBind = {
  /** Resolves when the SMS is answered with 0. */
  submit(to_number: string, message: string): Promise<void>
  close(): void
}

/** A bound transmitter that sends any number of requests without waiting, with as little work as possible. */
export async function openSmppBind(port: number, key: string): Promise<SmppBind> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const frames = openFrames()
  const waiting = new Map<number, { resolve(): void; reject(error: Error): void }>()
  let sequence = 0

  socket.on('data', (chunk: Buffer) => {
    for (const frame of frames.push(chunk)) {
      const { command, status, sequence } = readPdu(frame)
      const one = waiting.get(sequence)
      waiting.delete(sequence)
      if (status === 0 && command >= RESPONSE) one?.resolve()
      else one?.reject(new Error(`SMPP answered ${command.toString(16)} with status ${status}`))
    }
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('SMPP closed the connection'))
  })
  await once(socket, 'connect')

  function ask(command: number, body: Buffer): Promise<void> {
    const number = ++sequence
    return new Promise((resolve, reject) => {
      waiting.set(number, { resolve, reject })
      socket.write(writePdu({ command, status: 0, sequence: number, body }))
    })
  }

  const login = [text('bench'), text(key), text(''), Buffer.of(0x34, 0, 0), text('')]
  await ask(COMMAND.bind_transmitter, Buffer.concat(login))
  return {
    submit(to_number, message) {
      const octets = Buffer.from(message, 'latin1')
      const body = [
        text(''),
        Buffer.of(0, 0),
        text(''),
        Buffer.of(1, 1),
        text(to_number.slice(1)),
        Buffer.alloc(3),
        text(''),
        text(''),
        // ASCII, and no receipt.
        Buffer.of(0, 0, 1, 0, octets.length),
        octets,
      ]
      return ask(COMMAND.submit_sm, Buffer.concat(body))
    },
    close: () => void socket.destroy(),
  }
}
