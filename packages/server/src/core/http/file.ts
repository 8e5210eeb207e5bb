import { Readable } from 'node:stream'
import type { CsvFile } from '@sdd/contract/route.ts'
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { nameOf } from './refuse.ts'

/**
 * Sends a file as it is made: the next piece is asked for when the client has taken the one before it, and none any
 * more once the client has gone. What fails half way breaks the answer off, so that nobody takes it for the whole.
 */
export function sendFile(
  reply: FastifyReply,
  { filename, pieces }: CsvFile,
  log: Pick<Logger, 'error'>,
): FastifyReply {
  const { request } = reply
  const file = Readable.from(pieces, { objectMode: false })
  file.on('error', (error) => {
    // Where nothing has left yet an error is answered, which is no file.
    reply.removeHeader('content-disposition')
    log.error({ err: error, request_id: request.id, ...nameOf(request) }, 'A file broke off')
  })
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${filename}"`)
    .send(file)
}
