import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as z from 'zod/mini'
import type { Api, Incoming } from './api.ts'

export type Webhooks = { close: () => Promise<void> }

type WebhookNeeds = {
  api: Pick<Api, 'webhook' | 'removeWebhook'>
  /** The URL at which the phone reaches us: `https://…`, or `http://127.0.0.1:…` for an agent on the phone itself. */
  url: string
  /** The local port behind that URL. */
  port: number
  /** An SMS arrived. The webhook is acknowledged when this settles; otherwise the app repeats it. */
  received: (sms: Incoming) => Promise<void>
  /** The state of some message changed: time to poll. */
  moved: () => void
}

/** A received SMS as the app sends it. */
const Received = z.object({
  messageId: z.string(),
  message: z.string(),
  sender: z.optional(z.nullable(z.string())),
  /** Older versions have only this field. */
  phoneNumber: z.string(),
  simNumber: z.optional(z.nullable(z.number())),
  receivedAt: z.string(),
})
const Event = z.object({ event: z.string(), payload: z.unknown() })

const EVENTS = ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed']
const LARGEST_BYTES = 1024 * 1024

/**
 * Lets the app report events at once. A random path, new at each start, authenticates the caller. A call about a sent
 * message is not trusted; it only triggers a poll.
 */
export async function openWebhooks({ api, url, port, received, moved }: WebhookNeeds): Promise<Webhooks> {
  const path = `/${randomBytes(24).toString('hex')}`
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A proxy in front may have removed the beginning of the path.
    if (request.method !== 'POST' || !request.url?.endsWith(path)) {
      return void response.writeHead(404).end()
    }
    const body = await readBody(request)
    // Do not wait for the rest of the body.
    if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end()
    const { event, payload } = Event.parse(JSON.parse(body))
    if (event === 'sms:received') {
      const { messageId: id, message, sender, phoneNumber, simNumber, receivedAt } = Received.parse(payload)
      await received({
        id,
        sender: sender ?? phoneNumber,
        contentPreview: message,
        createdAt: receivedAt,
        simNumber,
      })
    } else moved()
    response.writeHead(204).end()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  try {
    const target = url.replace(/\/$/, '') + path
    for (const event of EVENTS) await api.webhook(webhookId(event), event, target)
  } catch (error) {
    // The next try needs the port.
    await stop()
    throw error
  }
  return {
    async close() {
      await Promise.all(EVENTS.map((event) => api.removeWebhook(webhookId(event)).catch(() => undefined)))
      await stop()
    },
  }
}

/** Undefined for a body that is too large, with or without a Content-Length. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BYTES) return undefined
  const chunks: Buffer[] = []
  let bytes = 0
  // The answer needs the connection, which leaving a `for await` would close.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > LARGEST_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function webhookId(event: string): string {
  return `sdd-agent-${event.replace(':', '-')}`
}
