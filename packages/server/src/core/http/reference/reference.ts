import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Answer } from '@sdd/http/answer.ts'
import type { HttpServer } from '@sdd/http/http-server.ts'
import { once } from '#server/core/once.ts'
import { sourcePath } from '#server/core/source-path.ts'
import type { ServedRoute } from '#server/core/http/serve.ts'
import { referencePage } from './page.ts'

/** The page needs no script, so none may run in it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** RFC 9727: where programs find the descriptions of the API. */
const CATALOG = JSON.stringify({
  linkset: [
    {
      anchor: '/',
      'service-desc': [
        { href: '/api/openapi.json', type: 'application/vnd.oai.openapi+json' },
        { href: '/asyncapi.json', type: 'application/vnd.aai.asyncapi+json' },
      ],
      'service-doc': [{ href: '/docs', type: 'text/html' }],
      status: [{ href: '/readyz', type: 'application/json' }],
    },
  ],
})
const CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** Serves the reference page and the catalog of descriptions. `describe` makes the OpenAPI document. */
export function serveReference(
  { serve }: Pick<HttpServer<ServedRoute>, 'serve'>,
  describe: () => object,
): void {
  // Made when they are first asked for, like the document.
  const pages: Record<string, () => Answering> = {
    '/docs': once(() => pageAnswer('text/html', referencePage(describe()))),
    '/docs/reference.css': once(() =>
      pageAnswer('text/css', readFileSync(sourcePath('core/http/reference/reference.css'), 'utf8')),
    ),
  }
  for (const method of ['GET', 'HEAD']) {
    for (const [path, answering] of Object.entries(pages))
      serve({ method, path }, ({ request }) => answering()(request))
    serve({ method, path: '/.well-known/api-catalog' }, () => ({
      status: 200,
      type: CATALOG_TYPE,
      headers: { Link: '</.well-known/api-catalog>; rel="api-catalog"' },
      body: CATALOG,
    }))
  }
}

type Answering = (request: IncomingMessage) => Answer

function pageAnswer(type: string, text: string): Answering {
  const zipped = gzipSync(text)
  return ({ headers }) => {
    const zips = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
    return {
      status: 200,
      type: `${type}; charset=utf-8`,
      headers: {
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        Vary: 'accept-encoding',
        ...(zips && { 'Content-Encoding': 'gzip' }),
      },
      body: zips ? zipped : text,
    }
  }
}
