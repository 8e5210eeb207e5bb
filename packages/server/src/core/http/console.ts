import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from '@sdd/http/answer.ts'
import { openFolder } from '@sdd/http/files.ts'
import type { HttpServer } from '@sdd/http/http-server.ts'
import type { ServedRoute } from './serve.ts'

/** Paths with these prefixes never belong to the console. Without a route they are not found. */
const NOT_CONSOLE = /^(api|docs|mqtt|metrics|healthz|readyz)(\/|$)/

/** A file name with an extension, or a hidden file. */
const FILE = /\.[^/]*$/

/**
 * Serves the console from its build folder. A path without an extension gets index.html, because the console's own
 * router reads the path. Until the console is built, such a path gets a sentence that says how to build it.
 */
export function serveConsole({ serve }: Pick<HttpServer<ServedRoute>, 'serve'>, folder: string): void {
  const answerFile = openFolder(folder, (path) => ({
    // Files that Vite puts into assets/ have a hash of their content in their name.
    'Cache-Control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    // On every file, because an SVG that is opened directly is a document too.
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  }))
  for (const method of ['GET', 'HEAD']) {
    serve({ method, path: '/*' }, async ({ request, params }) => {
      const path = params['*']!
      if (NOT_CONSOLE.test(path) || path.includes('\0')) return undefined
      if (FILE.test(path)) return answerFile(request, path)
      return (await isBuilt(folder)) ? answerFile(request, 'index.html') : NOT_BUILT
    })
  }
}

const NOT_BUILT: Answer = {
  status: 503,
  type: 'text/plain; charset=utf-8',
  body: 'The console is not built yet: run `npm run build`, then load this page again.\n',
}

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
  'trusted-types service-worker',
].join('; ')

async function isBuilt(folder: string): Promise<boolean> {
  return access(join(folder, 'index.html')).then(
    () => true,
    () => false,
  )
}
