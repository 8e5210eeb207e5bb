import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to outgoing connections: one of these would take it while its server is away. */
const [FIRST, LAST] = [10_240, 32_000]

/**
 * A TCP port of this machine that is free, and that no other process gets from here while this one lives: its UDP twin,
 * which nobody uses, is held until the process ends.
 */
export async function freePort(): Promise<string> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    const claim = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true })
    const claimed = await once(claim, 'listening').catch(() => undefined)
    const probe = createServer().listen(port, '127.0.0.1')
    const listening = await once(probe, 'listening').catch(() => undefined)
    probe.close()
    claim.unref()
    if (claimed && listening) return String(port)
    if (claimed) claim.close()
  }
}
