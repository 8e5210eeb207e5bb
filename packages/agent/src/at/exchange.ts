import type { Duplex } from 'node:stream'
import type { Clock } from '#agent/clock.ts'
import { AtError, type AtReason, type Failure } from './failure.ts'
import { splitLines } from './lines.ts'
import { type Reading, type Unsolicited, prefixOf, readLine } from './reading.ts'

/** Writes to the port, and collects the one answer that is awaited. */
type Exchange = {
  /** Registers the waiter. Call it before `write`, so that no answer arrives too early. One at a time. */
  await: (command: string, how: Awaiting) => Waiter
  /** Writes a text, which may be echoed, and the bytes that end it. */
  write: (text: string, end: string) => void
  /** When the last line arrived; 0 before the first. */
  heardAt: () => number
  /** Settles, never rejects, when the port is gone. */
  gone: Promise<Error>
  close: () => void
}

type Awaiting = {
  timeout_ms: number
  /** The prefixes of the answer's lines. */
  awaited: readonly string[]
  without_ok_ms?: number
  /** A prompt precedes the answer. */
  prompt?: boolean
}

type Waiter = {
  answer: Promise<string[]>
  /** True at the prompt, false if the answer arrived first. */
  prompted: Promise<boolean>
  settled: () => boolean
  /** Call it before the byte that ends the message. Starts this time-out for the answer. */
  handOver: (timeout_ms: number) => void
}

/** After `+CMGS: n` the message is out; the OK is a formality. */
const FORMALITY_MS = 5_000
/** A start line may be a late one of an earlier start: the command can still be answered for this long. */
const LATE_START_MS = 10_000
const ESC = '\x1b'
/** The lines of one USSD text arrive together. */
const USSD_LINES_MS = 2_000
/** The number of commands whose echo is still recognised. */
const ECHOES = 8

export function openExchange(needs: {
  port: Duplex
  clock: Clock
  onUnsolicited: (unsolicited: Unsolicited) => void
}): Exchange {
  const { port, clock, onUnsolicited } = needs
  const gone = Promise.withResolvers<Error>()
  const echoes: string[] = []
  let lost: Error | undefined
  let current: ReturnType<typeof openWaiter> | undefined
  let head: { kind: 'message' | 'report'; line: string } | undefined
  let heard_at = 0
  /** A USSD text whose closing quote has not arrived. */
  let open_ussd: { text: string; at: number } | undefined

  function takeLine(line: string): void {
    heard_at = clock.uptime()
    if (echoes.includes(line.toUpperCase())) return
    if (head && /^[0-9A-F]{14,}$/i.test(line)) {
      const unsolicited = { ...head, pdu: line }
      head = undefined
      onUnsolicited(unsolicited)
      return
    }
    head = undefined
    const reading = withUssd(line, readLine(line, current?.awaited))
    if (reading.is === 'open_ussd') return
    if (reading.is === 'head') head = { kind: reading.kind, line }
    else if (reading.is === 'unsolicited') {
      if (reading.unsolicited.kind === 'restarted') current?.restarted(reading.unsolicited.sure)
      if (reading.unsolicited.kind === 'power_down')
        current?.fail('restarted', 'the modem switched itself off')
      onUnsolicited(reading.unsolicited)
    } else if (!current || reading.is === 'call_over') onUnsolicited({ kind: 'chatter', line })
    else if (reading.is === 'ok') current.ok()
    else if (reading.is === 'failure') current.failed(reading.failure)
    else current.text(line)
  }

  /** Joins the lines of one USSD text. Other lines between them are read as usual. */
  function withUssd(line: string, reading: Reading): Reading {
    if (reading.is === 'open_ussd') open_ussd = { text: line, at: heard_at }
    if (!open_ussd || reading.is !== 'text' || prefixOf(line) !== undefined) return reading
    const { text, at } = open_ussd
    open_ussd = undefined
    if (heard_at - at > USSD_LINES_MS) return reading
    const longer = `${text}\n${line}`
    const joined = readLine(longer)
    if (joined.is === 'open_ussd') open_ussd = { text: longer, at }
    return joined
  }

  function lose(error: Error): void {
    if (lost) return
    lost = error
    current?.fail('gone', error.message)
    gone.resolve(error)
    port.destroy()
  }

  const take = splitLines({
    line: takeLine,
    prompt() {
      // No command expects it: the modem would take the next command for a message.
      if (!current?.prompt()) port.write(ESC)
    },
    overflow: () => onUnsolicited({ kind: 'chatter', line: '(64 KB without a line end)' }),
  })
  port.on('data', take)
  port.once('error', lose)
  port.once('end', () => lose(new Error('the port is gone')))
  // A serial port closes with the error that broke it.
  port.once('close', (error?: Error | null) => lose(error ?? new Error('the port is gone')))

  return {
    gone: gone.promise,
    heardAt: () => heard_at,
    await(command, how) {
      const waiter = openWaiter(command, how, clock, () => {
        if (current === waiter) current = undefined
      })
      current = waiter
      if (lost) waiter.fail('gone', lost.message)
      return waiter
    },
    write(text, end) {
      if (text) echoes.push(text.toUpperCase())
      if (echoes.length > ECHOES) echoes.shift()
      if (!lost) port.write(text + end, 'latin1')
    },
    close: () => lose(new Error('the port was closed')),
  }
}

/** Collects the answer to one command. */
function openWaiter(command: string, how: Awaiting, clock: Clock, onSettled: () => void) {
  const answer = Promise.withResolvers<string[]>()
  const prompted = Promise.withResolvers<boolean>()
  const lines: string[] = []
  let stage: 'prompt' | 'pdu' | 'answer' = how.prompt ? 'prompt' : 'answer'
  let handed_over = false
  let settled = false
  let deadline = 0
  let cancel = (): void => {}
  // The caller awaits the answer only after the prompt.
  answer.promise.catch(() => {})
  within(how.timeout_ms)

  function within(
    ms: number,
    expired: () => void = () => fail('timeout', `no answer within ${ms / 1000} s`),
  ) {
    cancel()
    deadline = clock.uptime() + ms
    cancel = clock.after(ms, expired)
  }

  function settle(): boolean {
    if (settled) return false
    settled = true
    cancel()
    onSettled()
    prompted.resolve(false)
    return true
  }

  function succeed(): void {
    if (settle()) answer.resolve(lines)
  }

  function fail(reason: AtReason, why: string, failure?: Failure): void {
    // The network took the message; a lost OK does not change that.
    if (handed_over && lines.some((line) => prefixOf(line) === '+CMGS')) return succeed()
    if (settle())
      answer.reject(new AtError({ command, reason, why, handed_over, ...(failure && { failure }) }))
  }

  return {
    answer: answer.promise,
    prompted: prompted.promise,
    awaited: how.awaited,
    settled: () => settled,
    fail,
    handOver(timeout_ms: number) {
      stage = 'answer'
      handed_over = true
      within(timeout_ms)
    },
    prompt(): boolean {
      if (stage === 'answer') return handed_over
      stage = 'pdu'
      prompted.resolve(true)
      return true
    },
    ok() {
      // An OK in place of a prompt belongs to something else.
      if (stage === 'answer') succeed()
    },
    failed: (failure: Failure) => fail('refused', failure.said, failure),
    text(line: string) {
      lines.push(line)
      if (handed_over) {
        if (prefixOf(line) === '+CMGS') within(FORMALITY_MS)
      } else if (stage === 'answer') {
        if (how.without_ok_ms === undefined) within(how.timeout_ms)
        else within(how.without_ok_ms, succeed)
      }
    },
    restarted(sure: boolean) {
      const expired = (): void => fail('restarted', 'the modem restarted')
      if (sure) expired()
      else if (deadline - clock.uptime() > LATE_START_MS) within(LATE_START_MS, expired)
    },
  }
}
