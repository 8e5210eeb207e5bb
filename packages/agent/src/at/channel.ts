import type { Duplex } from 'node:stream'
import { type Clock, sleep } from '#agent/clock.ts'
import { openExchange } from './exchange.ts'
import { AtError } from './failure.ts'
import type { News } from './reading.ts'

export type Channel = {
  /**
   * Writes a command and resolves to the lines of its answer, without echo, news and final OK. Rejects with an AtError
   * that names the command. One command at a time: it waits for those before it.
   */
  ask: (command: string, options?: Ask) => Promise<string[]>
  /**
   * Hands one message over: AT+CMGS, the prompt, the PDU, Ctrl-Z. Resolves to the reference that the network's report
   * will carry, null where the modem names none. An error tells by `handed_over` whether Ctrl-Z was written. `first` is
   * asked right before it, with nothing in between.
   */
  submit: (pdu: string, tpduOctets: number, first?: string) => Promise<number | null>
  /** Settles, never rejects, when the port is gone. */
  gone: Promise<Error>
  /** Rejects what waits, and lets go of the port. */
  close: () => void
}

export type Ask = {
  /** From the last line of the answer on; 10 s where it is not said. */
  timeout_ms?: number
  /** What the lines of the answer may begin with, where it is not the command's own name. */
  awaited?: readonly string[]
  /** Lines of an answer that no OK follows for so long are the whole of it. */
  without_ok_ms?: number
}

export const COMMAND_MS = 10_000
/** No standard names one; gammu waits as long. */
export const PROMPT_MS = 30_000
/** Modems were seen to answer after 135 s. */
export const RESULT_MS = 180_000
/** Some modems lose a PDU that comes within 100 ms of the prompt, and a Ctrl-Z on its heels. */
export const GAP_MS = 150

const RESYNC_TRIES = 3
const RESYNC_MS = 3_000
/** After which silence no late answer to an earlier command is to be expected. */
const QUIET_MS = 300
const CR = '\r'
const ESC = '\x1b'
const CTRL_Z = '\x1a'

export function openChannel(needs: {
  port: Duplex
  clock: Clock
  onNews: (news: News) => void
  /** Between the prompt and the PDU, and between the PDU and Ctrl-Z. */
  gap_ms?: number
}): Channel {
  const { clock, gap_ms = GAP_MS } = needs
  const exchange = openExchange(needs)
  let chain: Promise<unknown> = Promise.resolve()
  /** What comes next may be the answer to something earlier. */
  let out_of_step = false

  /** In turn; what fails without an answer leaves the line out of step. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = chain.then(async () => {
      if (out_of_step) await resync()
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof AtError) || error.reason !== 'refused') out_of_step = true
        throw error
      }
    })
    chain = result.catch(() => {})
    return result
  }

  async function ask(command: string, options: Ask): Promise<string[]> {
    const { timeout_ms = COMMAND_MS, awaited = awaitedBy(command) } = options
    const waiter = exchange.await(command, { ...options, timeout_ms, awaited })
    exchange.write(command, CR)
    return waiter.answer
  }

  async function submit(pdu: string, tpduOctets: number, first?: string): Promise<number | null> {
    if (first !== undefined) await ask(first, {})
    const command = `AT+CMGS=${tpduOctets}`
    const waiter = exchange.await(command, { timeout_ms: PROMPT_MS, awaited: ['+CMGS'], prompt: true })
    exchange.write(command, CR)
    if (await waiter.prompted) await gap(waiter)
    if (!waiter.settled()) {
      exchange.write(pdu, '')
      await gap(waiter)
    }
    if (waiter.settled()) {
      // Refused or too late: if the modem still waits for a message, it shall not.
      out_of_step = true
      exchange.write('', ESC)
    } else {
      waiter.handOver(RESULT_MS)
      exchange.write('', CTRL_Z)
    }
    return referenceIn(await waiter.answer)
  }

  async function gap(waiter: { answer: Promise<unknown> }): Promise<void> {
    const over = new AbortController()
    const end = (): void => over.abort()
    waiter.answer.then(end, end)
    await sleep(clock, gap_ms, over.signal)
  }

  async function resync(): Promise<void> {
    for (let left = RESYNC_TRIES; ; left--) {
      const waiter = exchange.await('AT', { timeout_ms: RESYNC_MS, awaited: [] })
      if (left === RESYNC_TRIES) exchange.write('', ESC)
      exchange.write('AT', CR)
      try {
        await waiter.answer
        break
      } catch (error) {
        if (error instanceof AtError && error.reason === 'refused') break
        if (left === 1 || (error instanceof AtError && error.reason === 'gone')) throw error
      }
    }
    const since = clock.uptime()
    for (;;) {
      const wait_ms = Math.max(since, exchange.heardAt()) + QUIET_MS - clock.uptime()
      if (wait_ms <= 0) break
      await sleep(clock, wait_ms)
    }
    out_of_step = false
  }

  return {
    ask: (command, options = {}) => inTurn(() => ask(command, options)),
    submit: (...message) => inTurn(() => submit(...message)),
    gone: exchange.gone,
    close: exchange.close,
  }
}

/** `+CSQ` of `AT+CSQ`, `^CURC` of `AT^CURC=0`. */
function awaitedBy(command: string): string[] {
  const name = /^AT([+^*%$#!][A-Z0-9]+)/i.exec(command)?.[1]
  return name ? [name.toUpperCase()] : []
}

/** TP-MR of `+CMGS: 214`. */
function referenceIn(lines: readonly string[]): number | null {
  for (const line of lines) {
    const reference = /^\+CMGS:\s*(\d{1,3})\b/i.exec(line)?.[1]
    if (reference !== undefined && Number(reference) <= 255) return Number(reference)
  }
  return null
}
