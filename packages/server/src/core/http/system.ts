import { routes } from '@sdd/contract/app/api.ts'
import { openapiDocument } from '@sdd/contract/app/openapi.ts'
import * as contract from '@sdd/contract/core/system.ts'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '#server/core/metrics.ts'
import type { Serve } from './serve.ts'

/** What the server says of itself. The figures are text, so they are no route of the contract. */
export function serveSystem(
  app: FastifyInstance,
  serve: Serve,
  {
    metrics,
    readiness,
  }: { metrics: Pick<Metrics, 'text' | 'content_type'>; readiness: () => contract.Readiness },
): void {
  const document = openapiDocument(routes)
  serve(contract.openapi, () => document)
  serve(contract.liveness, () => ({ status: 'ok' }))
  serve(contract.readiness, readiness)
  app.get('/metrics', async (_request, reply) => reply.type(metrics.content_type).send(await metrics.text()))
}
