import type { Duplex } from 'node:stream'
import { type Clock, sleep } from '#agent/clock.ts'
import { openExchange } from './exchange.ts'
import { AtError } from './failure.ts'
import type { Unsolicited } from './reading.ts'

export type Channel = {
  /**
   * Writes a command and resolves to the lines of its answer, without echo, unsolicited lines and final OK. Rejects
   * with an AtError that names the command. Commands are queued and run one at a time.
   */
  ask: (command: string, options?: Ask) => Promise<string[]>
  /**
   * Hands one message over: AT+CMGS, the prompt, the PDU, Ctrl-Z. Resolves to the reference of the network's report, or
   * null if the modem names none. The error's `handed_over` says whether Ctrl-Z was written. The command `first` runs
   * immediately before it.
   */
  submit: (pdu: string, tpduOctets: number, first?: string) => Promise<number | null>
  /** Settles, never rejects, when the port is gone. */
  gone: Promise<Error>
  /** Rejects all pending commands, and closes the port. */
  close: () => void
}

export type Ask = {
  /** Since the last line of the answer; 10 s by default. */
  timeout_ms?: number
  /** The prefixes that lines of the answer may have, if they differ from the command's own name. */
  awaited?: readonly string[]
  /** For answers without OK: this long after the last line, the answer counts as complete. */
  without_ok_ms?: number
  /** Asked when its turn comes: if false, it is not written, and counts as timed out. */
  still?: () => boolean
}

const COMMAND_MS = 10_000
/** No standard defines it; gammu waits as long. */
const PROMPT_MS = 30_000
/** Modems were seen to answer after 135 s. */
const RESULT_MS = 180_000
/** Some modems lose a PDU that arrives within 100 ms of the prompt, or a Ctrl-Z immediately after it. */
const GAP_MS = 150

const RESYNC_TRIES = 3
const RESYNC_MS = 3_000
/** After this much silence no late answer to an earlier command is expected. */
const QUIET_MS = 300
const CR = '\r'
const ESC = '\x1b'
const CTRL_Z = '\x1a'

export function openChannel(needs: {
  port: Duplex
  clock: Clock
  onUnsolicited: (unsolicited: Unsolicited) => void
  /** Between the prompt and the PDU, and between the PDU and Ctrl-Z. */
  gap_ms?: number
}): Channel {
  const { clock, gap_ms = GAP_MS } = needs
  const exchange = openExchange(needs)
  let chain: Promise<unknown> = Promise.resolve()
  /** The next line may be the answer to an earlier command. */
  let out_of_step = false

  /** Runs one after the other. A failure without an answer leaves the line out of step. */
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
    if (options.still?.() === false)
      throw new AtError({ command, reason: 'timeout', why: 'its turn came too late' })
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
      // Refused or too late: cancel the message if the modem still waits for it.
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
