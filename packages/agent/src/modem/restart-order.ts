import type { Channel } from '#agent/at/channel.ts'
import { type Clock, within } from '#agent/clock.ts'
import type { Done } from '#agent/driver.ts'

type RestartOrder = {
  restart: (within_ms: number) => Promise<Done>
  /** Settles when messages may begin: while the order is obeyed, they wait. */
  open: () => Promise<void>
}

/** Restarts the modem between two messages, so that the outcome of none of them is lost. */
export function openRestartOrder(needs: {
  clock: Clock
  /** Settles when the last message that began has its outcome. */
  onAir: () => Promise<unknown>
  channel: () => Channel | undefined
  /** False if the modem refuses. */
  restart: (on: Channel) => Promise<boolean>
  /** Waits until the radio is ready; false if that takes longer. */
  ready: (within_ms: number) => Promise<boolean>
  says: () => string
}): RestartOrder {
  const { clock } = needs
  let gate: Promise<void> | undefined

  async function restart(within_ms: number): Promise<Done> {
    if (gate) return fail('busy', 'The modem is being restarted already')
    const until = clock.uptime() + within_ms
    const over = Promise.withResolvers<void>()
    gate = over.promise
    try {
      if (!(await isSilent(within_ms / 2))) return fail('busy', 'A message was on air all that time')
      const channel = needs.channel()
      if (!channel) return fail('modem_error', `The modem cannot be asked: ${needs.says()}`)
      if (!(await needs.restart(channel))) return fail('refused', 'The modem refuses to restart itself')
      if (await needs.ready(until - clock.uptime())) return { ok: true, output: needs.says() }
      return fail('timeout', `The modem was restarted, but is not ready: ${needs.says()}`)
    } finally {
      gate = undefined
      over.resolve()
    }
  }

  async function isSilent(within_ms: number): Promise<boolean> {
    let silent = false
    const ended = needs.onAir().then(() => (silent = true))
    await within(clock, within_ms, ended)
    return silent
  }

  return { restart, open: () => gate ?? Promise.resolve() }
}

function fail(code: string, detail: string): Done {
  return { ok: false, code, detail }
}
