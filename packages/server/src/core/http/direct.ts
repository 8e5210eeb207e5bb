import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CsvFile, type Route } from '@sdd/contract/route.ts'
import type { Exchange } from './asked.ts'
import { JSON_TYPE } from './json.ts'
import type { AnswerError, Named } from './refuse.ts'
import type { Tally } from './tally.ts'

type Answering = (request: IncomingMessage, response: ServerResponse<IncomingMessage>) => void | Promise<void>

/** What a route answers, checked: its status, and the reply where it has one. */
export type Replied = { status: number; body: unknown }

export type Direct = {
  /** Answers this route so, where that can be. */
  add(route: Route, reply: (exchange: Exchange) => Promise<Replied>): void
  answer(request: IncomingMessage, response: ServerResponse<IncomingMessage>): void
}

/**
 * Answers a request whose path is to the letter that of a route without the framework, which would do no more for it than
 * this: find the route, and write what it says. All others (parts in the path, other spellings, files) are `otherwise`'s.
 */
export function openDirect(needs: { answerError: AnswerError; tally: Tally; otherwise: Answering }): Direct {
  const { answerError, tally, otherwise } = needs
  const known = new Map<string, Answering>()

  return {
    add(route, reply) {
      if (route.path.includes(':') || route.reply === CsvFile) return
      known.set(`${route.method} ${route.path}`, async (request, response) => {
        const began_ms = performance.now()
        const named = nameOf(route)
        response.once('finish', () => tally(named, response.statusCode, performance.now() - began_ms))
        try {
          const { status, body } = await reply({ raw: request, response, params: NONE })
          write(response, status, {}, body === undefined ? '' : JSON.stringify(body))
        } catch (error) {
          const { status, headers, text } = answerError(error, named, route)
          write(response, status, headers, text)
        }
      })
    },

    answer(request, response) {
      const { method, url = '' } = request
      const query = url.indexOf('?')
      const answer = known.get(`${method} ${query < 0 ? url : url.slice(0, query)}`) ?? otherwise
      void answer(request, response)
    },
  }
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})

/** Few are named by an id: those that fail. */
function nameOf({ method, path }: Route): Named {
  let request_id: string | undefined
  return {
    method,
    route: path,
    get request_id() {
      return (request_id ??= randomUUID())
    },
  }
}

function write(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): void {
  if (text === '') response.writeHead(status, headers).end()
  else {
    const length = Buffer.byteLength(text)
    response.writeHead(status, { ...headers, 'content-type': JSON_TYPE, 'content-length': length }).end(text)
  }
}
