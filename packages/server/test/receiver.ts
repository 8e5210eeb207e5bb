import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CallbackBody } from '@sdd/contract/outward/callbacks.ts'

export type Received = {
  path: string
  method: string
  headers: Record<string, string>
  text: string
  body: CallbackBody
}

/** Answers a callback. A callback without an answer hangs. */
export type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown

/** Another system that receives callbacks. It answers 204 by default. */
export async function startReceiver(answer: Answer = (_, response) => response.writeHead(204).end()) {
  const received: Received[] = []
  const receiver = { answer, received, connections: 0, url: '', stop }
  const server = createServer((request, response) => void take(request, response))
  server.on('connection', () => receiver.connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver

  async function take(request: IncomingMessage, response: ServerResponse) {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const text = Buffer.concat(pieces).toString()
    const one = {
      path: request.url!,
      method: request.method!,
      headers: request.headers as Record<string, string>,
      text,
      body: (text.startsWith('{') ? JSON.parse(text) : undefined) as CallbackBody,
    }
    received.push(one)
    await receiver.answer(one, response, request)
  }

  async function stop() {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}
