import * as z from 'zod/mini'

/**
 * The local server of SMS Gateway for Android (github.com/capcom6/android-sms-gateway), as far as it is used here. Its
 * documentation is `/docs` on the phone. Fields that a version lacks are absent or null.
 */
const State = z.enum(['Pending', 'Cancelling', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed'])

const optional = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema))

export const Message = z.object({
  id: z.string(),
  state: State,
  recipients: z.array(z.object({ phoneNumber: z.string(), state: State, error: optional(z.string()) })),
  /** The time at which it reached each state. */
  states: optional(z.record(z.string(), z.string())),
})
export type Message = z.infer<typeof Message>

export const Incoming = z.object({
  id: z.string(),
  sender: z.string(),
  contentPreview: z.string(),
  createdAt: z.string(),
  simNumber: optional(z.number()),
})
export type Incoming = z.infer<typeof Incoming>

const Sim = z.object({
  slotIndex: z.number(),
  simNumber: z.number(),
  phoneNumber: optional(z.string()),
  carrierName: optional(z.string()),
  iccid: optional(z.string()),
})
export type Sim = z.infer<typeof Sim>

const Device = z.object({ name: optional(z.string()), simCards: z._default(z.array(Sim), []) })

const Check = z.optional(z.object({ observedValue: z.number() }))
const Health = z.object({ checks: z.object({ 'battery:level': Check, 'battery:charging': Check }) })
/** A flag of `battery:charging`; the others name the charger. */
const CHARGING = 1

type NewMessage = {
  id: string
  text: string
  to: string
  withDeliveryReport: boolean
  simNumber?: number
  /** Seconds after which the phone drops the message if it cannot send it. */
  ttl: number
}

/** Why a call to the app failed. */
export class GatewayError extends Error {
  /** Absent if there was no answer at all. */
  readonly status: number | undefined
  /** The request certainly did not reach the app, because nothing listens at the address. */
  readonly unheard: boolean

  constructor(sentence: string, status?: number, unheard = false) {
    super(sentence)
    this.status = status
    this.unheard = unheard
  }
}

export type Api = {
  /** Resolves to the phone's model. Rejects if the app does not answer, or refuses the password. */
  hello: () => Promise<string>
  sims: () => Promise<Sim[]>
  /** The battery as the app's health check sees it. */
  battery: () => Promise<{ battery?: number; charging?: boolean }>
  send: (message: NewMessage) => Promise<void>
  /** `undefined` if the phone has no message with this id. */
  message: (id: string) => Promise<Message | undefined>
  /** The messages stored since `from`, newest first. */
  messages: (from: string, limit: number, offset: number) => Promise<Message[]>
  /** True if the message certainly will not be sent any more. */
  cancel: (id: string) => Promise<boolean>
  /** `undefined` if this version of the app does not list received SMS. */
  inbox: (from: string, limit: number, offset: number) => Promise<Incoming[] | undefined>
  webhook: (id: string, event: string, url: string) => Promise<void>
  removeWebhook: (id: string) => Promise<void>
}

const ANSWER_WITHIN_MS = 15_000

export function openApi(base_url: string, username: string, password: string): Api {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const host = new URL(base_url).host

  /** The answer's body. Rejects with a `GatewayError` unless the status is a success. */
  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(new URL(path, base_url), {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw unreachable(error, host)
    })
    const text = await response.text().catch(() => '')
    const answer = parse(text)
    if (response.ok) return answer
    if (response.status === 401) {
      throw new GatewayError(`${host} refuses the user name or the password: see the app's Local Server`, 401)
    }
    const { message } = (answer ?? {}) as { message?: unknown }
    const reason = typeof message === 'string' ? message : `status ${response.status}`
    throw new GatewayError(`the app on ${host} says: ${reason}`, response.status)
  }

  const absent = (error: unknown): undefined => {
    if (error instanceof GatewayError && error.status === 404) return undefined
    throw error
  }
  const page = (limit: number, offset: number) => `limit=${limit}&offset=${offset}`

  return {
    hello: async () =>
      z.parse(z.object({ model: z._default(z.string(), 'Android') }), await call('GET', '/')).model,
    sims: async () => z.parse(z.array(Device), await call('GET', '/device'))[0]?.simCards ?? [],
    async battery() {
      const { checks } = z.parse(Health, await call('GET', '/health'))
      const [level, charging] = [checks['battery:level'], checks['battery:charging']]
      return {
        ...(level && { battery: level.observedValue }),
        ...(charging && { charging: (charging.observedValue & CHARGING) !== 0 }),
      }
    },
    async send({ id, text, to, ...rest }) {
      // Our server has validated the number already; the app would refuse short codes.
      const body = { id, textMessage: { text }, phoneNumbers: [to], ...rest }
      await call('POST', '/messages?skipPhoneValidation=true', body)
    },
    message: (id) => call('GET', `/messages/${id}`).then((answer) => Message.parse(answer), absent),
    messages: async (from, limit, offset) =>
      z.parse(
        z.array(Message),
        await call('GET', `/messages?from=${encodeURIComponent(from)}&${page(limit, offset)}`),
      ),
    cancel: (id) =>
      call('DELETE', `/messages/${id}`).then(
        (answer) => ['Cancelled', 'Cancelling'].includes(Message.safeParse(answer).data?.state ?? ''),
        () => false,
      ),
    inbox: (from, limit, offset) =>
      call('GET', `/inbox?type=SMS&from=${encodeURIComponent(from)}&${page(limit, offset)}`).then(
        (answer) => z.parse(z.array(Incoming), answer),
        absent,
      ),
    webhook: async (id, event, url) => void (await call('POST', '/webhooks', { id, event, url })),
    removeWebhook: async (id) => void (await call('DELETE', `/webhooks/${id}`)),
  }
}

const REFUSED = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']
/** A connection that breaks with one of these codes may have carried the request already. */
const ON_CONNECTION = ['read', 'write']

export function unreachable(error: Error, host: string): GatewayError {
  const { code, syscall = '' } = (error.cause ?? {}) as { code?: string; syscall?: string }
  const why = error.name === 'TimeoutError' ? 'no answer in time' : (code ?? error.message)
  const sentence = `the app does not answer at ${host} (${why}): is it on, with Local Server switched on and online?`
  const unheard = code !== undefined && REFUSED.includes(code) && !ON_CONNECTION.includes(syscall)
  return new GatewayError(sentence, undefined, unheard)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
