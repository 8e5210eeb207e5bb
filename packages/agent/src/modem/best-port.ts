import type { Duplex } from 'node:stream'
import { openChannel } from '#agent/at/channel.ts'
import { type Clock, sleep, within } from '#agent/clock.ts'

type PortNeeds = {
  clock: Clock
  /** The device files that belong to the modem, in order. */
  ports: () => Promise<string[]>
  open: (path: string) => Promise<Duplex>
}

const ANSWER_MS = 3_000
/** Huawei sticks report their signal every few seconds, on only one of their ports. */
const LISTEN_MS = 8_000

/**
 * Opens the modem's best port. A stick has several ports. Only one or two of them answer, and usually the last that does
 * also announces incoming messages. So an answering port that sends unsolicited lines is preferred, else the last that
 * answers. The choice is kept while that port exists, until the function is called with `silent`: nothing answered on it.
 */
export function openBestPort({ clock, ports, open }: PortNeeds): (silent?: boolean) => Promise<Duplex> {
  let best: string | undefined

  return async (silent = false) => {
    if (silent) best = undefined
    const all = await ports()
    if (all.length === 0) throw new Error('no serial port found: is the modem plugged in?')
    if (all.length === 1) return open(all[0]!)
    if (best === undefined || !all.includes(best)) best = await probe(all)
    return open(best)
  }

  async function probe(all: readonly string[]): Promise<string> {
    const tried = await Promise.allSettled(all.map(listen))
    const answering = tried.filter((result) => result.status === 'fulfilled').map(({ value }) => value)
    const found = answering.find(({ talks }) => talks) ?? answering.at(-1)
    if (found) return found.port
    const why = tried.find((result) => result.status === 'rejected')?.reason
    throw why instanceof Error ? why : new Error('none of the ports answers')
  }

  /** Rejects for a port that cannot be opened or does not answer. */
  async function listen(port: string): Promise<{ port: string; talks: boolean }> {
    let talks = false
    const heard = Promise.withResolvers<void>()
    const channel = openChannel({
      port: await open(port),
      clock,
      onUnsolicited() {
        talks = true
        heard.resolve()
      },
    })
    try {
      await channel.ask('AT', { timeout_ms: ANSWER_MS })
      await within(clock, LISTEN_MS, heard.promise)
      return { port, talks }
    } finally {
      channel.close()
      // The operating system needs a moment to release the port.
      await sleep(clock, 100)
    }
  }
}
