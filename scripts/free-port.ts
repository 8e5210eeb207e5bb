import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to outgoing connections: one of these would take it while its server is away. */
const [FIRST, LAST] = [10_240, 32_000]

/** A port of this machine that is free now, and stays so while nobody asks for it. */
export async function freePort(): Promise<string> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    const probe = createServer().listen(port, '127.0.0.1')
    const listening = await once(probe, 'listening').catch(() => undefined)
    probe.close()
    if (listening) return String(port)
  }
}
