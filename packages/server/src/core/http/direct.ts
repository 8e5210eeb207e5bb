import type { IncomingMessage, ServerResponse } from 'node:http'
import { CsvFile, type Route } from '@sdd/contract/core/route.ts'
import { protectiveHeaders } from '#server/core/protection.ts'
import type { Exchange } from './asked.ts'
import { asJson, JSON_TYPE } from './json.ts'
import { answerLast } from './last-answer.ts'
import type { Named } from './named.ts'
import type { AnswerError } from './refuse.ts'
import type { Tally } from './tally.ts'

type Answering = (request: IncomingMessage, response: ServerResponse<IncomingMessage>) => void | Promise<void>

/** What a route answers, checked: its status, and the reply where it has one. It goes out once `until` resolves. */
export type Replied = { status: number; body: unknown; until?: Promise<void> }

export type Direct = {
  /** Answers this route so, where that can be. */
  add(route: Route, reply: (exchange: Exchange) => Promise<Replied>): void
  answer(request: IncomingMessage, response: ServerResponse<IncomingMessage>): void
}

/**
 * Answers a request whose path is to the letter that of a route without the framework, which would do no more for it than
 * this: find the route, and write what it says. All others (parts in the path, other spellings, files) are `otherwise`'s.
 */
export function openDirect(needs: {
  answerError: AnswerError
  tally: Tally
  encrypted: boolean
  /** How long a connection is kept for another request. */
  keep_alive: string
  otherwise: Answering
}): Direct {
  const { answerError, tally, encrypted, keep_alive, otherwise } = needs
  /** By path and method. */
  const known = new Map<string, Map<string, Answering>>()
  const protective = Object.entries(protectiveHeaders(encrypted)).flat()

  /** In one go, as a list: what is set one by one is looked up and copied again. */
  function headersOf(
    { shouldKeepAlive }: ServerResponse,
    bytes: number,
    more: readonly string[] = [],
  ): (string | number)[] {
    const headers: (string | number)[] = [...protective, ...more]
    if (shouldKeepAlive) headers.push('keep-alive', keep_alive)
    if (bytes > 0) headers.push('content-type', JSON_TYPE, 'content-length', bytes)
    return headers
  }

  return {
    add(route, reply) {
      if (route.path.includes(':') || route.reply === CsvFile) return
      const named: Named = { method: route.method, route: route.path }
      const methods = known.getOrInsertComputed(route.path, () => new Map())
      methods.set(route.method, async (request, response) => {
        const began_ms = performance.now()
        response.on('finish', () => tally(request, named, response.statusCode, performance.now() - began_ms))
        try {
          const { status, body, until } = await reply({ raw: request, response, params: NONE })
          const text = body === undefined ? '' : asJson(body)
          const bytes = Buffer.byteLength(text)
          response.writeHead(status, headersOf(response, bytes))
          if (until) await until
          // Text of one byte a character goes out as it is, with the head in front of it.
          response.end(text, bytes === text.length ? 'latin1' : 'utf8')
        } catch (error) {
          const answer = answerError(error, request, named, route)
          const { status, text, headers } = answer
          if (!response.headersSent) {
            const more = Object.entries(headers).flat()
            response.writeHead(status, headersOf(response, Buffer.byteLength(text), more)).end(text)
            return
          }
          // A head is ready already, of which nothing has left: this takes its place.
          tally(request, named, status, performance.now() - began_ms)
          if (response.socket) answerLast(response.socket, answer, { encrypted })
        }
      })
    },

    answer(request, response) {
      const { method = '', url = '' } = request
      const query = url.indexOf('?')
      const answer = known.get(query < 0 ? url : url.slice(0, query))?.get(method) ?? otherwise
      void answer(request, response)
    },
  }
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})
