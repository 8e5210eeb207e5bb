import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { CALLBACK_REPLY_BYTES, CALLBACK_TIMEOUT_MS } from '@sdd/contract/outward/callbacks.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import type { Addresses } from './addresses.ts'
import { type Outcome, outcomeOf, troubles, unreached } from './outcome.ts'

export type Posting = {
  /**
   * Sends the request and resolves to the outcome within 15 s in all, or to `undefined` if `close` came first.
   * Redirects are not followed. At most 64 KiB of the response are read, and discarded unless `reads_answer`.
   */
  post(callback: Posted, headers: Readonly<Record<string, string>>): Promise<Outcome | undefined>
  /** Aborts all running requests. */
  close(): void
}

/** The company, the URL and the body of a callback. Without a body it is a GET; without a type, the body is JSON. */
export type Posted = {
  company_id: number
  url: string
  body: string | null
  type?: string
  /** The outcome has the text of the answer. */
  reads_answer?: boolean
}

/** Idle connections are kept this long for the next callback. Most receivers keep them longer. */
const KEEP_MS = 4_000

/**
 * Posts callbacks to allowed addresses only. The name is resolved here, and the socket connects to the checked
 * addresses: a later answer of the name server changes nothing.
 */
export function openPosting(needs: { addresses: Addresses; timeout_ms?: number }): Posting {
  const { addresses, timeout_ms = CALLBACK_TIMEOUT_MS } = needs
  const keeping = { keepAlive: true, timeout: KEEP_MS }
  const plain = new HttpAgent(keeping)
  const secure = new HttpsAgent(keeping)
  const underWay = new Set<Try>()

  async function post(
    { company_id, body, type, ...given }: Posted,
    headers: Readonly<Record<string, string>>,
  ) {
    const url = new URL(given.url)
    const going = openTry(timeout_ms, given.reads_answer)
    underWay.add(going)
    addresses
      .of(url, company_id)
      .then((found) => {
        if (!('addresses' in found)) return going.end(nowhere(url, found))
        going.send(
          url,
          {
            method: body === null ? 'GET' : 'POST',
            agent: url.protocol === 'https:' ? secure : plain,
            lookup: lookupOf(found.addresses),
            headers: {
              ...headers,
              ...(body !== null && { 'content-type': type ?? 'application/json' }),
              'user-agent': 'sms-drone-dash',
            },
          },
          Buffer.from(body ?? ''),
        )
      })
      .catch((error: Error) => going.end(unreached(error)))
    const outcome = await going.ended
    underWay.delete(going)
    return outcome
  }

  return {
    post,
    close() {
      for (const going of underWay) going.end(undefined)
      plain.destroy()
      secure.destroy()
    },
  }
}

type Try = ReturnType<typeof openTry>

/** One try. It ends once, and leaves no connection open that cannot be reused. */
function openTry(timeout_ms: number, reads_answer = false) {
  const { promise: ended, resolve } = Promise.withResolvers<Outcome | undefined>()
  let over = false
  let answered: Outcome | undefined
  let cut = () => {}
  const began_ms = performance.now()
  const timer = setTimeout(() => end(answered ?? late(timeout_ms)), timeout_ms)

  function end(outcome: Outcome | undefined): void {
    if (over) return
    over = true
    clearTimeout(timer)
    cut()
    resolve(outcome)
  }

  function send(url: URL, options: RequestOptions, body: Buffer): void {
    // After a pause, a process gets here before its timers: by now another server may have claimed the callback.
    if (over || performance.now() - began_ms >= timeout_ms) return
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options)
    cut = () => void request.destroy()
    request.on('response', (answer) => {
      // Mostly only the status matters. The rest is read so that the connection can be reused.
      const outcome = (answered = outcomeOf(answer.statusCode!))
      let bytes = 0
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => {
        if ((bytes += chunk.length) > CALLBACK_REPLY_BYTES) end(outcome)
        else if (reads_answer) chunks.push(chunk)
      })
      answer.on('end', () => {
        cut = () => {}
        end(reads_answer ? { ...outcome, answer: Buffer.concat(chunks).toString() } : outcome)
      })
      answer.on('error', () => end(outcome))
    })
    let again = false
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The receiver closed a kept connection just when it was reused. That says nothing about the callback.
      again = request.reusedSocket && error.code === 'ECONNRESET' && !answered && !over
      if (again) send(url, { ...options, agent: false }, body)
      else end(answered ?? unreached(error))
    })
    request.on('close', () => again || end(answered ?? unreached({ code: 'ECONNRESET' })))
    request.end(body)
    crashPoint('posted')
  }

  return { send, end, ended }
}

function nowhere(url: URL, found: { refused: string } | { unknown: string }): Outcome {
  const why = 'refused' in found ? found.refused : found.unknown
  return { result: 'failed', status: null, error: `${url.hostname} ${why}.` }
}

function late(timeout_ms: number): Outcome {
  return { result: 'failed', status: null, error: troubles.late.write({ secs: timeout_ms / 1_000 }) }
}

/** Answers a socket's look-up with the known addresses. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, answer) => {
    if (all) answer(null, found)
    else answer(null, found[0]!.address, found[0]!.family)
  }
}
