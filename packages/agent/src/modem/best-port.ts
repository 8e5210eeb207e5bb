import type { Duplex } from 'node:stream'
import { openChannel } from '#agent/at/channel.ts'
import { type Clock, sleep, within } from '#agent/clock.ts'

export type PortNeeds = {
  clock: Clock
  /** The device files that belong to the modem, in order. */
  ports: () => Promise<string[]>
  open: (path: string) => Promise<Duplex>
}

const ANSWER_MS = 3_000
/** Huawei sticks say their signal every few seconds, on one of their ports alone. */
const LISTEN_MS = 8_000

/**
 * Opens the modem's best port: a stick has several, of which one or two answer, and mostly the last of those says what
 * comes in. So the one that says something unasked, else the last that answers. Which it was is remembered.
 */
export function openBestPort({ clock, ports, open }: PortNeeds): () => Promise<Duplex> {
  let best: string | undefined

  return async () => {
    const all = await ports()
    if (all.length === 0) throw new Error('no such port is there: is the modem plugged in?')
    if (all.length === 1) return open(all[0]!)
    if (best === undefined || !all.includes(best)) best = await probe(all)
    return open(best)
  }

  async function probe(all: readonly string[]): Promise<string> {
    const tried = await Promise.allSettled(all.map(listen))
    const answering = tried.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
    const found = answering.find(({ talks }) => talks) ?? answering.at(-1)
    if (found) return found.port
    const why = tried.find((one) => one.status === 'rejected')?.reason
    throw why instanceof Error ? why : new Error('none of the ports answers')
  }

  /** Rejects for a port that cannot be opened or does not answer. */
  async function listen(port: string): Promise<{ port: string; talks: boolean }> {
    let heard = false
    const said = Promise.withResolvers<void>()
    const channel = openChannel({
      port: await open(port),
      clock,
      onNews() {
        heard = true
        said.resolve()
      },
    })
    try {
      await channel.ask('AT', { timeout_ms: ANSWER_MS })
      await within(clock, LISTEN_MS, said.promise)
      return { port, talks: heard }
    } finally {
      channel.close()
      // Until the operating system has let go of it.
      await sleep(clock, 100)
    }
  }
}
