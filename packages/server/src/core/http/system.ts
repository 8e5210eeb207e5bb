import { routes, topics } from '@sdd/contract/app/api.ts'
import { asyncapiDocument } from '@sdd/contract/app/asyncapi.ts'
import { openapiDocument } from '@sdd/contract/app/openapi.ts'
import * as contract from '@sdd/contract/core/system.ts'
import type { HttpServer } from '@sdd/http/http-server.ts'
import type { Metrics } from '#server/core/metrics.ts'
import { serveReference } from './reference/reference.ts'
import type { Serve, ServedRoute } from './serve.ts'

/** The routes about the server itself. The metrics are text, so they are not in the contract. */
export function serveSystem(
  http: Pick<HttpServer<ServedRoute>, 'serve'>,
  serve: Serve,
  {
    metrics,
    readiness,
  }: { metrics: Pick<Metrics, 'text' | 'content_type'>; readiness: () => contract.Readiness },
): void {
  // Building it takes half as long as a whole start, and most servers are never asked for it.
  let document: ReturnType<typeof openapiDocument> | undefined
  const describe = () => (document ??= openapiDocument(routes))
  serve(contract.openapi, describe)
  let ofTopics: ReturnType<typeof asyncapiDocument> | undefined
  serve(contract.asyncapi, () => (ofTopics ??= asyncapiDocument(topics)))
  serveReference(http, describe)
  serve(contract.liveness, () => ({ status: 'ok' }))
  serve(contract.readiness, readiness)
  http.serve({ method: 'GET', path: '/metrics' }, async () => {
    return { status: 200, type: metrics.content_type, body: await metrics.text() }
  })
}
