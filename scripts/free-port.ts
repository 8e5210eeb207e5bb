import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port of this machine that is free now. */
export async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  return String(port)
}
