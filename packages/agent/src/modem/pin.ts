import { readPinState } from '#agent/at/answers.ts'
import { AtError } from '#agent/at/failure.ts'
import type { Channel } from '#agent/at/channel.ts'
import { type Clock, sleep } from '#agent/clock.ts'
import { askIfKnown, askWhenFree } from './ask.ts'
import { readIccidFact } from './facts.ts'
import type { ModemSettings } from './settings.ts'
import { Trouble } from './trouble.ts'

type Needs = {
  channel: Pick<Channel, 'ask'>
  clock: Clock
  settings: Pick<ModemSettings, 'pin'>
  memory: { tried_pins: TriedPin[] }
}

/** A PIN that is not tried again with this SIM, or with any SIM if the modem did not tell its ICCID. */
export type TriedPin = { readonly pin: string; readonly iccid: string | null }

/** Some Huawei sticks restart if a command follows their PIN sooner. */
const QUIET_MS = 3_000
/** Wavecom modems do not end this answer with OK. */
const WITHOUT_OK_MS = 1_000
/** PIN2 is not needed for SMS. */
const READY = ['READY', 'SIM PIN2', 'SIM PUK2']
const READY_TRIES = 20
const READY_PAUSE_MS = 1_000
/** A SIM can be put back without any notice from the modem. */
const LOOK_AGAIN_MS = 60_000

/**
 * Makes the SIM ready, or throws the Trouble that says what the SIM needs. A PIN is tried once. It is not tried if the
 * SIM reports that only one try is left.
 */
export async function unlockSim(needs: Needs): Promise<void> {
  const { clock, settings } = needs
  const state = await simState(needs)
  if (READY.includes(state)) return
  if (state !== 'SIM PIN') throw wants(state)
  const { pin } = settings
  if (pin === undefined)
    throw new Trouble('the SIM wants its PIN: set `pin`, or switch the PIN off in a phone')
  await enterPin(needs, pin)
  await sleep(clock, QUIET_MS)
  for (let left = READY_TRIES; left > 0; left--) {
    if (READY.includes(await simState(needs))) return
    await sleep(clock, READY_PAUSE_MS)
  }
  throw new Trouble('the SIM accepted its PIN but is not ready', LOOK_AGAIN_MS)
}

async function enterPin({ channel, memory }: Needs, pin: string): Promise<void> {
  const refused = new Trouble(
    'the SIM refused its PIN, which is not tried again: correct `pin`, or unlock the SIM in a phone',
  )
  // Each SIM gets one try. A modem may tell the ICCID at one time and refuse it at another.
  const iccid = await readIccidFact(channel)
  const isSame = (tried: TriedPin): boolean =>
    tried.pin === pin && (tried.iccid === null || iccid === null || tried.iccid === iccid)
  if (memory.tried_pins.some(isSame)) throw refused
  if (!/^\d{4,8}$/.test(pin)) throw new Trouble('`pin` is not a PIN: a PIN has 4 to 8 digits')
  if ((await triesLeft({ channel })) === 1) {
    throw new Trouble('the SIM has one try left before it wants its PUK: unlock it in a phone')
  }
  // Whatever the result, this was the one try.
  const tried = { pin, iccid }
  memory.tried_pins.push(tried)
  try {
    await channel.ask(`AT+CPIN="${pin}"`, { timeout_ms: 30_000 })
    memory.tried_pins.splice(memory.tried_pins.indexOf(tried), 1)
  } catch (error) {
    throw error instanceof AtError && error.reason === 'refused' ? refused : error
  }
}

/** Undefined if the modem does not report it. */
async function triesLeft({ channel }: Pick<Needs, 'channel'>): Promise<number | undefined> {
  const lines = await askIfKnown(channel, 'AT+CPINR="SIM PIN"')
  const left = lines?.map((line) => /^\+CPINR:\s*"?SIM PIN"?\s*,\s*(\d+)/i.exec(line)?.[1]).find(Boolean)
  return left === undefined ? undefined : Number(left)
}

/** Some modems answer AT+CPIN? with the error that corresponds to the state. */
const STATES: Readonly<Record<number, string>> = {
  10: 'NOT INSERTED',
  11: 'SIM PIN',
  12: 'SIM PUK',
  17: 'SIM PIN2',
  18: 'SIM PUK2',
}

async function simState(needs: Needs): Promise<string> {
  try {
    const lines = await askWhenFree(needs, 'AT+CPIN?', { without_ok_ms: WITHOUT_OK_MS })
    return readPinState(lines) ?? 'no answer'
  } catch (error) {
    const code = error instanceof AtError && error.failure?.from === 'cme' ? error.failure.code : null
    const state = code === null ? undefined : STATES[code]
    if (state !== undefined) return state
    if (error instanceof AtError && error.reason === 'refused') return error.failure?.said ?? 'no answer'
    throw error
  }
}

function wants(state: string): Trouble {
  if (state === 'SIM PUK') return new Trouble('the SIM is locked and wants its PUK: unlock it in a phone')
  if (/^NOT|REMOVED/.test(state)) return new Trouble('there is no SIM in the modem', LOOK_AGAIN_MS, 'no_sim')
  return new Trouble(`the SIM is not ready (${state})`, LOOK_AGAIN_MS)
}
