import { Readable } from 'node:stream'
import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Limits } from './limits.ts'
import { nameOf } from './named.ts'

/** Who takes a file, and what rejects once they may not any more. */
type Whose = { caller: Caller | KeyCaller | undefined; stillMay(): Promise<void> }

/** While a file goes out, it is looked so often whether who takes it still may. */
const LOOK_MS = 2_000

/**
 * Sends a file as it is made: the next piece is asked for when the client has taken the one before it, and none any
 * more once the client has gone. What fails half way breaks the answer off, so that nobody takes it for the whole; so
 * does the end of the session that asked for it.
 * `busy` where a user, or all together, have as many under way as they may: each holds a page of its rows.
 */
export type SendFile = (reply: FastifyReply, file: CsvFile, whose: Whose) => FastifyReply

export function openFiles({ limits, log }: { limits: Limits; log: Pick<Logger, 'error'> }): SendFile {
  /** By who takes it, each file that is under way. */
  const under_way: string[] = []

  return function sendFile(reply, { filename, pieces }, whose) {
    const { request } = reply
    const taker = nameTaker(whose)
    refuseTooMany(taker)
    under_way.push(taker)
    reply.raw.once('close', () => under_way.splice(under_way.indexOf(taker), 1))
    const file = Readable.from(whileAllowed(pieces, whose), { objectMode: false })
    file.on('error', (error) => {
      // Where nothing has left yet an error is answered, which is no file.
      reply.removeHeader('content-disposition')
      if (!(error instanceof Refusal))
        log.error({ err: error, request_id: request.id, ...nameOf(request) }, 'A file broke off')
    })
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${filename}"`)
      .send(file)
  }

  function refuseTooMany(taker: string): void {
    const its = under_way.filter((other) => other === taker).length
    if (its < limits.files_per_user && under_way.length < limits.files) return
    const who = its < limits.files_per_user ? `All together take ${limits.files}` : `You take ${its}`
    const why = `${who} files already, which is the most at once. Try again when one has ended.`
    throw new Refusal('busy', why, { retry_after_secs: 10 })
  }
}

async function* whileAllowed(pieces: AsyncIterable<string>, { stillMay }: Whose): AsyncGenerator<string> {
  let looked_ms = performance.now()
  for await (const piece of pieces) {
    if (performance.now() - looked_ms >= LOOK_MS) {
      await stillMay()
      looked_ms = performance.now()
    }
    yield piece
  }
}

function nameTaker({ caller }: Whose): string {
  if (!caller) return 'anyone'
  return 'user_id' in caller ? `user ${caller.user_id}` : `key ${caller.api_key_id}`
}
