import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems use for outgoing connections: one of these could take the port while its server is down.
 */
const [FIRST, LAST] = [10_240, 32_000]

/**
 * A free TCP port of this machine. While this process lives, no other process gets it from here: the process holds the
 * UDP port of the same number, which is otherwise unused.
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
