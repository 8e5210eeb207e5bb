import { routes } from '@sdd/contract/api.ts'
import { openapiDocument } from '@sdd/contract/openapi.ts'
import * as contract from '@sdd/contract/system.ts'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '#server/core/metrics.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Serve } from './serve.ts'

/** What the server says of itself. The figures are text, so they are no route of the contract. */
export function serveSystem(
  app: FastifyInstance,
  serve: Serve,
  { metrics, ready }: { metrics: Pick<Metrics, 'text' | 'content_type'>; ready: () => boolean },
): void {
  const document = openapiDocument(routes)
  serve(contract.openapi, () => document)
  serve(contract.liveness, () => ({ status: 'ok' }))
  serve(contract.readiness, () => {
    if (!ready()) throw new Refusal('not_ready', 'The server is starting or stopping; try again soon.')
    return { status: 'ready' }
  })
  app.get('/metrics', async (_request, reply) => reply.type(metrics.content_type).send(await metrics.text()))
}
