import { ConfigError } from './config.ts'

/**
 * Explains why a listener could not start: a `ConfigError` about `variable` (the port) or `HOST` if that setting is the
 * cause, otherwise `error` itself.
 */
export function listenFault(error: unknown, at: { variable: string; host: string; port: number }): unknown {
  const { variable, host, port } = at
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
