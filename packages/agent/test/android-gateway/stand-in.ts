import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

type State = 'Pending' | 'Processed' | 'Sent' | 'Delivered' | 'Failed' | 'Cancelled'

type PhoneMessage = {
  id: string
  deviceId: string
  state: State
  isHashed: boolean
  isEncrypted: boolean
  recipients: { phoneNumber: string; state: State; error: string | null }[]
  states: Partial<Record<State, string>>
  /** The request's fields, which the app does not return. */
  asked: Record<string, unknown>
}

export type GatewayPhone = {
  readonly url: string
  readonly messages: PhoneMessage[]
  readonly webhooks: Map<string, { event: string; url: string }>
  readonly calls: string[]
  /** Moves a message to a state, as Android's answers do, and calls the webhooks. */
  become: (message: PhoneMessage, state: State, error?: string) => Promise<void>
  /** The states that each new message reaches by itself, soon after it arrived. */
  follow: (...states: [State, string?][]) => void
  receive: (sms: { from: string; text: string; at: string }) => Promise<number[]>
  /** The next `count` answers are lost after the request was executed. */
  loseAnswers: (count: number) => void
  /** The next `count` webhooks are refused. */
  refuseWebhooks: (count: number) => void
  /** The ICCIDs of its two SIMs, as the app tells them from now on. */
  haveSims: (first: string, second: string) => void
  /** Like app versions that cannot list received SMS. */
  withoutInbox: () => void
  stop: () => Promise<void>
}

const AUTHORIZATION = `Basic ${Buffer.from('sms:secret').toString('base64')}`
const SECRETS = [
  'sms:received',
  'sms:data-received',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'system:ping',
]

/**
 * Stands in for the local server of SMS Gateway for Android. Routes, bodies, states and errors follow its OpenAPI
 * description and its sources (github.com/capcom6/android-sms-gateway, July 2026).
 */
export async function openGatewayPhone(t: Pick<TestContext, 'after'>): Promise<GatewayPhone> {
  const messages: PhoneMessage[] = []
  const webhooks = new Map<string, { event: string; url: string }>()
  const incoming: Record<string, unknown>[] = []
  const calls: string[] = []
  let script: [State, string?][] = []
  let lost = 0
  let webhooks_refused = 0
  let has_inbox = true
  let iccids: [string | null, string] = [null, '8934']

  const server = createServer((request, response) => void serve(request, response))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/' } = request
    const { pathname, searchParams } = new URL(url, 'http://phone')
    const body = await text(request)
    calls.push(`${method} ${pathname}`)
    const answer = (status: number, value?: unknown): void => {
      if (lost > 0 && method === 'POST') {
        lost--
        return void request.socket.destroy()
      }
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(value === undefined ? '' : JSON.stringify(value))
    }
    if (request.headers.authorization !== AUTHORIZATION) return answer(401)
    const id = pathname.split('/')[2] ?? ''
    const route = `${method} /${pathname.split('/')[1]}${id ? '/:id' : ''}`
    const page = <T>(all: T[]): T[] => {
      const offset = Number(searchParams.get('offset') ?? 0)
      return all.slice(offset, offset + Number(searchParams.get('limit') ?? 50))
    }
    switch (route) {
      case 'GET /':
        return answer(200, { status: 'ok', model: 'Pixel 6' })
      case 'GET /health':
        return answer(200, {
          checks: {
            'messages:failed': { description: 'Failed messages', observedUnit: 'messages', observedValue: 0 },
            'battery:level': { description: 'Battery level', observedUnit: 'percent', observedValue: 94 },
            'battery:charging': { description: 'Charging?', observedUnit: 'flags', observedValue: 5 },
          },
          releaseId: 1,
          status: 'pass',
          version: '1.0.0',
        })
      case 'GET /device':
        return answer(200, [
          {
            id: 'device',
            name: 'Google/oriole',
            simCards: [
              {
                slotIndex: 0,
                simNumber: 1,
                phoneNumber: '+34611000111',
                carrierName: 'Movistar',
                iccid: iccids[0],
              },
              {
                slotIndex: 1,
                simNumber: 2,
                phoneNumber: '+34622000222',
                carrierName: 'Vodafone',
                iccid: iccids[1],
              },
            ],
          },
        ])
      case 'POST /messages':
        return enqueue(JSON.parse(body) as Record<string, unknown>, searchParams, answer)
      case 'GET /messages': {
        const from = Date.parse(searchParams.get('from') ?? '1970-01-01T00:00:00Z')
        return answer(
          200,
          page(messages.filter(({ states }) => Date.parse(states.Pending!) >= from)).map(told),
        )
      }
      case 'GET /messages/:id': {
        const message = messages.find((message) => message.id === id)
        return message ? answer(200, told(message)) : answer(404)
      }
      case 'DELETE /messages/:id': {
        const message = messages.find((message) => message.id === id)
        if (!message) return answer(404)
        if (message.state !== 'Pending')
          return answer(400, { message: `Message ${id} is not in Pending state` })
        move(message, 'Cancelled')
        return answer(200, told(message))
      }
      case 'GET /inbox': {
        if (!has_inbox) return answer(404)
        const from = Date.parse(searchParams.get('from')!)
        return answer(200, page(incoming.filter(({ createdAt }) => Date.parse(createdAt as string) >= from)))
      }
      case 'POST /webhooks': {
        const hook = JSON.parse(body) as { id: string; event: string; url: string }
        if (webhooks_refused > 0) {
          webhooks_refused--
          return answer(500, { message: 'the settings are locked' })
        }
        if (!/^(https:\/\/|http:\/\/127\.0\.0\.1)/.test(hook.url) || !SECRETS.includes(hook.event)) {
          return answer(400, { message: 'url must start with https:// or http://127.0.0.1' })
        }
        webhooks.set(hook.id, hook)
        return answer(201, hook)
      }
      case 'DELETE /webhooks/:id':
        webhooks.delete(id)
        return answer(204)
      default:
        return answer(404)
    }
  }

  function enqueue(
    asked: Record<string, unknown>,
    query: URLSearchParams,
    answer: (status: number, value?: unknown) => void,
  ): void {
    const { id, textMessage, phoneNumbers } = asked as {
      id: string
      textMessage?: { text: string }
      phoneNumbers: string[]
    }
    if (!textMessage?.text) return answer(400, { message: 'Text message is empty' })
    if (id.length > 36) return answer(400, { message: 'id is too long' })
    if (messages.some((message) => message.id === id)) {
      return answer(409, { message: 'Message with such ID already exists' })
    }
    const [phoneNumber = ''] = phoneNumbers
    if (query.get('skipPhoneValidation') !== 'true' && !phoneNumber.startsWith('+')) {
      return answer(400, { message: 'Invalid phone number' })
    }
    const message: PhoneMessage = {
      id,
      deviceId: 'device',
      state: 'Pending',
      isHashed: false,
      isEncrypted: false,
      recipients: phoneNumbers.map((phoneNumber) => ({ phoneNumber, state: 'Pending', error: null })),
      states: { Pending: new Date().toISOString() },
      asked,
    }
    messages.unshift(message)
    answer(202, told(message))
    void (async () => {
      for (const [state, error] of script) {
        await new Promise((resolve) => setTimeout(resolve, 10))
        await become(message, state, error)
      }
    })()
  }

  function move(message: PhoneMessage, state: State, error?: string): void {
    message.state = state
    message.states[state] = new Date().toISOString()
    for (const recipient of message.recipients) Object.assign(recipient, { state, error: error ?? null })
  }

  async function become(message: PhoneMessage, state: State, error?: string): Promise<void> {
    move(message, state, error)
    const event = { Sent: 'sms:sent', Delivered: 'sms:delivered', Failed: 'sms:failed' }[state as string]
    if (event) await tell(event, { messageId: message.id, phoneNumber: message.recipients[0]?.phoneNumber })
  }

  async function tell(event: string, payload: unknown): Promise<number[]> {
    const hooks = [...webhooks].filter(([, hook]) => hook.event === event)
    return Promise.all(
      hooks.map(async ([webhookId, { url }]) => {
        const body = JSON.stringify({ id: 'e1', webhookId, event, deviceId: 'device', payload })
        const headers = { 'content-type': 'application/json' }
        return (await fetch(url, { method: 'POST', headers, body })).status
      }),
    )
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  t.after(stop)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    webhooks,
    calls,
    become,
    follow(...states) {
      script = states
    },
    receive({ from, text, at }) {
      const createdAt = new Date(at).toISOString()
      const id = `text:${incoming.length}`
      const sms = {
        id,
        type: 'SMS',
        sender: from,
        recipient: null,
        simNumber: 1,
        contentPreview: text,
        createdAt,
      }
      incoming.push(sms)
      incoming.sort((a, b) => Date.parse(b['createdAt'] as string) - Date.parse(a['createdAt'] as string))
      return tell('sms:received', {
        messageId: '1f',
        message: text,
        sender: from,
        phoneNumber: from,
        simNumber: 1,
        receivedAt: createdAt,
      })
    },
    loseAnswers(count) {
      lost = count
    },
    refuseWebhooks(count) {
      webhooks_refused = count
    },
    haveSims(...told) {
      iccids = told
    },
    withoutInbox() {
      has_inbox = false
    },
    stop,
  }
}

function told({ asked: _, ...message }: PhoneMessage): Omit<PhoneMessage, 'asked'> {
  return message
}
