import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

export const A = 1
export const AAAA = 28

type Options = {
  /** The records of a name: their data by type. */
  records?: (name: string) => Partial<Record<number, Buffer>> | undefined
  /** Names that get no answer. */
  silent?: (name: string) => boolean
  /** The delay of each answer. */
  takes_ms?: number
}

/** A DNS server for a test, over UDP on this machine. */
export async function startNameServer(t: TestContext, { records, silent, takes_ms = 0 }: Options) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  /** A repeated question, asked again because the answer was slow, counts once. */
  const open = new Set<string>()
  let most = 0
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    asked.push(name)
    if (silent?.(name)) return
    const question = `${name} ${type}`
    most = Math.max(most, open.add(question).size)
    const known = records?.(name)
    const found = known?.[type]
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(known ? 0x8180 : 0x8183, 2) // NOERROR or NXDOMAIN
    head.writeUInt16BE(found ? 1 : 0, 6)
    head.fill(0, 8)
    const answer = found ? [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, found.length]), found] : []
    setTimeout(() => {
      open.delete(question)
      socket.send(Buffer.concat([head, query.subarray(12, end), ...answer]), from.port, from.address)
    }, takes_ms)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return {
    address: `127.0.0.1:${socket.address().port}`,
    /** The name of each question. */
    asked,
    /** The most questions that waited for an answer at once. */
    most: () => most,
  }
}

/** RFC 1035, section 4.1.2. */
function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (; query[at] !== 0; at += query[at]! + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}
