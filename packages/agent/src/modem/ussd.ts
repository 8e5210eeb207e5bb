import { cmeError } from '@sdd/sms/error-codes.ts'
import type { Channel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'
import type { Unsolicited } from '#agent/at/reading.ts'
import { packUssdCode, readUssdText, USSD_DCS } from '#agent/at/ussd-text.ts'
import { type Clock, sleep } from '#agent/clock.ts'
import type { Done } from '#agent/driver.ts'
import { askIfKnown } from './ask.ts'
import { ALPHABET } from './setup.ts'

type UssdAnswer = Extract<Unsolicited, { kind: 'ussd' }>

type Ussd = {
  dial: (code: string, within_ms: number) => Promise<Done>
  /** The modem printed `+CUSD`. */
  take: (answer: UssdAnswer) => void
}

/** Some modems end the command only with the answer of the network. */
const COMMAND_MS = 60_000
const CANCEL_MS = 5_000
/** A modem confirms a cancelled session with `+CUSD: 2`. */
const CONFIRMS_MS = 3_000

/** The states of 3GPP TS 27.007 section 7.15 that have no text. */
const STATES: Readonly<Record<number, string>> = {
  0: 'The network answered without a text',
  1: 'The network asks for more, without a text',
  2: 'The network ended the session without a text',
  3: 'Another program of the modem has the session',
  4: 'The network does not know this code, or the modem cannot dial it',
  5: 'The network did not answer the modem in time',
}

/** Dials USSD codes, one at a time. A menu is answered as its text, and its session is cancelled. */
export function openUssd(needs: {
  clock: Clock
  stopping: AbortSignal
  /** Undefined while the modem is not set up. */
  channel: () => Channel | undefined
  says: () => string
}): Ussd {
  const { clock, stopping } = needs
  /** How this modem wants its codes. */
  let form: 'text' | 'packed' = 'text'
  let listening: ((answer: UssdAnswer) => void) | undefined
  let dialling = false
  let cancelled_at = -Infinity

  async function dial(code: string, within_ms: number): Promise<Done> {
    const channel = needs.channel()
    if (!channel) return fail('no_network', `The modem is not ready: ${needs.says()}`)
    if (dialling) return fail('busy', 'Another code is being dialled')
    dialling = true
    try {
      return await dialOn(channel, code, within_ms)
    } catch (error) {
      if (error instanceof AtError) return refusal(error)
      throw error
    } finally {
      dialling = false
      listening = undefined
    }
  }

  async function dialOn(channel: Channel, code: string, within_ms: number): Promise<Done> {
    const until = clock.uptime() + within_ms
    const still = (): boolean => clock.uptime() < until && !stopping.aborted
    const over = new AbortController()
    const answered = Promise.withResolvers<UssdAnswer | undefined>()
    void sleep(clock, within_ms, AbortSignal.any([stopping, over.signal])).then(() =>
      answered.resolve(undefined),
    )
    void channel.gone.then(() => answered.resolve(undefined))
    // Another program may have chosen a different one since the set-up.
    await askIfKnown(channel, ALPHABET, { still })
    listening = answered.resolve
    const sending = write(channel, code, still)
    // The answer may overtake the OK. A refusal ends it; a lost OK does not.
    const answer = await Promise.race([answered.promise, sending.then(() => answered.promise)]).finally(() =>
      over.abort(),
    )
    if (!answer) {
      void cancel(channel)
      return unanswered(channel)
    }
    const { state, written, dcs } = answer
    if (state === 1) void cancel(channel)
    const text = written === null ? '' : readUssdText(written, dcs)
    if (text === '') return fail(state === 5 ? 'timeout' : 'refused', STATES[state] ?? `+CUSD: ${state}`)
    return state <= 2 ? { ok: true, output: text } : fail('refused', `${STATES[state]}: ${text}`)
  }

  /** Dials in the form that this modem takes. It is found by a refusal, before which nothing went on air. */
  async function write(channel: Channel, code: string, still: () => boolean): Promise<void> {
    const asking = { timeout_ms: COMMAND_MS, awaited: [], still }
    const command = (text: string): string => `AT+CUSD=1,"${text}",${USSD_DCS}`
    try {
      await channel.ask(command(form === 'text' ? code : packUssdCode(code)), asking)
    } catch (error) {
      if (form !== 'text' || !isAboutForm(error)) throw error
      await channel.ask(command(packUssdCode(code)), asking)
      form = 'packed'
    }
  }

  /** Otherwise the network keeps the session for minutes, and refuses the next code. */
  async function cancel(channel: Channel): Promise<void> {
    cancelled_at = clock.uptime()
    await channel.ask('AT+CUSD=2', { timeout_ms: CANCEL_MS, awaited: [] }).catch(() => {})
    cancelled_at = clock.uptime()
  }

  function unanswered(channel: Channel): Done {
    if (needs.channel() !== channel) return fail('modem_error', `The modem went away: ${needs.says()}`)
    if (stopping.aborted) return fail('modem_error', 'The agent stops')
    return fail('timeout', 'The network did not answer in time')
  }

  return {
    dial,
    take(answer) {
      const confirms = answer.state === 2 && answer.written === null
      if (confirms && clock.uptime() - cancelled_at < CONFIRMS_MS) return
      listening?.(answer)
    },
  }
}

/** A modem that wants packed codes refuses others with one of these, or with a bare ERROR. */
const ABOUT_FORM = [3, 4, 24, 25, 26, 27, 50]

function isAboutForm(error: unknown): boolean {
  if (!(error instanceof AtError) || error.reason !== 'refused') return false
  const code = error.failure?.code ?? null
  return code === null || ABOUT_FORM.includes(code)
}

const NO_NETWORK = [30, 31, 32]

function refusal({ reason, message, failure }: AtError): Done {
  if (reason === 'timeout') return fail('timeout', `The modem did not take the code in time (${message})`)
  if (reason !== 'refused') return fail('modem_error', `The modem went away (${message})`)
  const code = failure?.from === 'cme' ? failure.code : null
  const said = failure?.said ?? message
  if (code === null) return fail('refused', `The modem refused the code (${said})`)
  return fail(NO_NETWORK.includes(code) ? 'no_network' : 'refused', `${cmeError(code).sentence} (${said})`)
}

function fail(code: string, detail: string): Done {
  return { ok: false, code, detail }
}
