import type { EventEmitter } from 'node:events'
import { BACKLOG } from './backlog.ts'
import { ConfigError } from './config.ts'

type Port = { variable: string; host: string; port: number }
type Listener = Pick<EventEmitter, 'once' | 'off'> & {
  listen(at: { host: string; port: number; backlog: number }, listening: () => void): unknown
}

/** Starts a listener. Rejects with its `listenFault`. */
export async function listenAt(server: Listener, at: Port): Promise<void> {
  const { host, port } = at
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve()
    })
  }).catch((error: unknown) => {
    throw listenFault(error, at)
  })
}

/**
 * Explains why a listener could not start: a `ConfigError` about `variable` (the port) or `HOST` if that setting is the
 * cause, otherwise `error` itself.
 */
export function listenFault(error: unknown, { variable, host, port }: Port): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'EADDRINUSE') {
    return new ConfigError(variable, `port ${port} of ${host} is in use; use another, or 0 for any free one`)
  }
  if (code === 'EACCES') {
    return new ConfigError(variable, `this user may not use port ${port}; use one from 1024 on, or 0 for any`)
  }
  if (NO_SUCH_ADDRESS.has(code)) {
    return new ConfigError(
      'HOST',
      `${host} is not an address of this machine; use one of its addresses, or 0.0.0.0 for all`,
    )
  }
  return error
}

const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'EAI_AGAIN', 'ENOTFOUND'])
