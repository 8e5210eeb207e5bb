import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { CallbackBody } from '@sdd/contract/outward/callbacks.ts'
import { openRandom } from '#simulator/random.ts'

/** A callback that was answered with 2xx, once for each `webhook-id`. */
export type Heard = { webhook_id: string; type: CallbackBody['type']; guid: string; state: string }

export type Receiver = {
  readonly url: string
  /** In order of arrival. */
  readonly heard: readonly Heard[]
  /** Violations: a wrong signature or an unreadable body. */
  readonly surprises: readonly string[]
  /** How often an answered callback arrived again. */
  repetitions: () => number
  stop: () => Promise<void>
}

type ReceiverNeeds = {
  /** The webhook secret of the key that submits the tasks. */
  webhook_secret: string
  /** Share of the requests that are answered with 500, and share that is never answered. */
  refusing?: number
  silent?: number
  seed?: string
}

/** Receives callbacks like another system would, on a free port of this machine. */
export async function startReceiver(needs: ReceiverNeeds): Promise<Receiver> {
  const { webhook_secret, refusing = 0, silent = 0, seed = 'receiver' } = needs
  const random = openRandom(seed)
  const seen = new Set<string>()
  const heard: Heard[] = []
  const surprises: string[] = []
  let repetitions = 0

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const { 'webhook-id': webhook_id = '' } = request.headers as Record<string, string>
    if (!isGenuine(request, body, webhook_secret)) {
      surprises.push(`${webhook_id}: its signature is wrong`)
      return void response.writeHead(401).end()
    }
    if (random.chance(silent)) return
    if (random.chance(refusing)) return void response.writeHead(500).end()
    const { type, task } = CallbackBody.parse(JSON.parse(body))
    if (seen.has(webhook_id)) repetitions++
    else heard.push({ webhook_id, type, guid: task.guid, state: task.state })
    seen.add(webhook_id)
    response.writeHead(204).end()
  }

  const server = createServer((request, response) => {
    take(request, response).catch((fault: Error) => {
      surprises.push(fault.message)
      response.writeHead(400).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/callbacks`,
    heard,
    surprises,
    repetitions: () => repetitions,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Verifies as Standard Webhooks defines it, independently of the server's code. */
function isGenuine({ headers }: IncomingMessage, body: string, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`
  const expected = createHmac('sha256', key).update(signed).digest()
  const given = Buffer.from(String(headers['webhook-signature']).replace(/^v1,/, ''), 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
