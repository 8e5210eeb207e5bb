import { access } from 'node:fs/promises'
import { join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** What begins so is never the console's: what is not served there is nowhere. */
const NOT_CONSOLE = /^(api|mqtt|metrics|healthz|readyz)(\/|$)/

/** A name with an extension, or a hidden one. */
const FILE = /\.[^/]*$/

/**
 * Serves the console from the folder of its build, by the `.br` and `.gz` beside a file where the browser takes them.
 * A path without an extension gets index.html: the console's own router reads it. Until the console is built, such a
 * path gets a sentence that says how to.
 */
export function serveConsole(app: FastifyInstance, folder: string): void {
  app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    acceptRanges: false,
    cacheControl: false,
    dotfiles: 'ignore',
    suppressWarning: true,
    setHeaders(reply, path) {
      // Vite puts into assets/ what carries a hash of its content in its name.
      const hashed = path.startsWith(join(folder, 'assets') + sep)
      reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      // On every file: an SVG that is opened by itself is a document too.
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    },
  })
  app.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: '/*',
    async handler(request, reply) {
      const path = request.params['*']
      if (NOT_CONSOLE.test(path) || path.includes('\0')) return reply.callNotFound()
      if (FILE.test(path)) return reply.sendFile(path)
      if (await isThere(join(folder, 'index.html'))) return reply.sendFile('index.html')
      return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    },
  })
}

const NOT_BUILT = 'The console is not built yet: run `npm run build`, then load this page again.\n'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
