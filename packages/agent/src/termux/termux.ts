import { isoNow, type Clock } from '#agent/clock.ts'
import type { Driver, Keeper } from '#agent/driver.ts'
import type { Say } from '#agent/say.ts'
import type { Termux } from './commands.ts'
import { openInbox } from './inbox.ts'
import { type Phone, readNetworks, readPhone, readTelemetry } from './networks.ts'
import { sendSms } from './send.ts'

type TermuxNeeds = {
  termux: Termux
  keeper: Keeper
  clock: Clock
  say: Say
  /** The SIM's slot, 0 or 1; the phone chooses if it is undefined. */
  slot: string | undefined
  /** The SIM's number, which Android rarely reveals. */
  number: string | undefined
  since: string
}

const POLL_EVERY_MS = 15_000
const LOOK_EVERY_MS = 60_000

export const NO_REPORTS = 'Termux:API requests none from Android; a message ends as sent'

/** An Android phone, through the commands of Termux:API. */
export function openTermuxDriver(needs: TermuxNeeds): Driver {
  const { termux, keeper, clock, say, since } = needs
  let { slot, number } = needs
  const inbox = openInbox({ termux, keeper, clock, since })
  const closing = new AbortController()
  let state: { ready: boolean; says: string } = { ready: false, says: 'the phone was not asked yet' }
  let last_sent_at: string | null = null
  let sending: Promise<unknown> = Promise.resolve()
  let trouble: string | undefined
  let cancelPoll = clock.after(0, poll)
  let cancelLook = clock.after(0, look)

  function look(): void {
    readPhone(termux)
      .then(stateOf, (error: Error) => ({ ready: false, says: error.message }))
      .then((found) => {
        if (found.ready !== state.ready || found.says !== state.says) keeper.changed()
        state = found
        if (!closing.signal.aborted) cancelLook = clock.after(LOOK_EVERY_MS, look)
      })
      .catch((error: Error) => say(error.message))
  }

  function poll(): void {
    inbox
      .poll()
      .then(
        () => (trouble = undefined),
        (error: Error) => {
          if (error.message !== trouble) say(`the phone's SMS cannot be read: ${error.message}`)
          trouble = error.message
        },
      )
      .finally(() => {
        if (!closing.signal.aborted) cancelPoll = clock.after(POLL_EVERY_MS, poll)
      })
  }

  return {
    name: 'Android phone (Termux)',
    delivery_reports: NO_REPORTS,
    async send(message, progress) {
      const outcome = sendSms({ termux, clock, slot, closing: closing.signal }, message, progress)
      sending = outcome
      const { state } = await outcome
      if (state === 'sent') last_sent_at = isoNow(clock)
      return outcome
    },
    networks: () => readNetworks(termux, { slot, number, at: isoNow(clock) }),
    telemetry: () => readTelemetry(termux),
    configure(changed) {
      slot = changed['sim']
      number = changed['number']
      keeper.changed()
    },
    radio: () => ({ ...state, last_sent_at }),
    async close() {
      closing.abort()
      cancelPoll()
      cancelLook()
      await sending
    },
  }
}

const SIM_STATES: Record<string, string> = {
  absent: 'there is no SIM in the phone',
  pin_required: 'the SIM wants its PIN: enter it on the phone',
  puk_required: 'the SIM wants its PUK: enter it on the phone',
  network_locked: "the phone is locked to another operator's SIM",
}

export function stateOf({ sim_state, network_operator_name, network_roaming }: Phone): {
  ready: boolean
  says: string
} {
  const wants = SIM_STATES[sim_state ?? '']
  if (wants) return { ready: false, says: wants }
  if (!network_operator_name) return { ready: false, says: 'the phone has no network' }
  return { ready: true, says: `registered on ${network_operator_name}${network_roaming ? ', roaming' : ''}` }
}
