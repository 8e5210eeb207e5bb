import { hexOf } from '@sdd/sms/octets.ts'
import { type Clock, machineClock } from '#agent/clock.ts'
import { type Chance, openChance } from './chance.ts'
import {
  type Dialect,
  type EmulatedNetwork,
  type EmulatedSim,
  type EmulatorOptions,
  USUAL_DIALECT,
  USUAL_NETWORK,
  USUAL_SIM,
} from './options.ts'
import { openPlaces, type Places } from './places.ts'

/** The state of one emulated modem, and its output. Shared by the emulator's modules. */
export type Machine = {
  readonly clock: Clock
  readonly chance: Chance
  readonly options: EmulatorOptions
  readonly sim: EmulatedSim
  readonly network: EmulatedNetwork
  readonly dialect: Dialect
  readonly places: Places
  /** Lost at a restart. */
  settings: Settings
  /** The time of the last start; undefined while it starts, or has no power. */
  running_since: number | undefined
  unlocked: boolean
  unlocked_at: number
  /** The last reference that it assigned. */
  reference: number
  handed_over: number
  /** The network waits for an answer to its menu. */
  ussd_open: boolean
  /** Counts the codes and cancellations: an answer to an earlier one is not printed. */
  ussd_sessions: number
  /** Runs `run` later, unless the modem restarts before. */
  later: (ms: number, run: () => void) => void
  /** Prints an unsolicited line. */
  say: (line: string) => void
  /** Writes raw text to the line. */
  put: (text: string) => void
  restart: () => void
  unplug: () => void
}

type Settings = {
  echo: number
  cscs: 'GSM' | 'IRA' | 'UCS2'
  cmee: number
  cmgf: number
  csms: number
  cnmi: [mode: number, mt: number, bm: number, ds: number, bfr: number]
  reading: string
  writing: string
  receiving: string
  cops_format: number
  cfun: number
  creg: number
  cereg: number
  cusd: number
}

/** A modem that has no port yet. */
export function makeMachine(
  options: EmulatorOptions,
  doing: Pick<Machine, 'later' | 'say' | 'put' | 'restart' | 'unplug'>,
): Machine {
  const dialect = { ...USUAL_DIALECT, ...options.dialect }
  const sim = { ...USUAL_SIM, ...options.sim }
  return {
    ...doing,
    options,
    sim,
    dialect,
    clock: options.clock ?? machineClock,
    chance: openChance(options.seed ?? 'emulator'),
    network: { ...USUAL_NETWORK, ...options.network },
    places: openPlaces({ SM: sim.places, ME: 100, SR: 20 }, dialect.first_index),
    settings: factorySettings(dialect),
    running_since: undefined,
    unlocked: sim.pin === null,
    unlocked_at: 0,
    reference: 0,
    handed_over: 0,
    ussd_open: false,
    ussd_sessions: 0,
  }
}

export function factorySettings(dialect: Dialect): Settings {
  const storage = dialect.receives_into
  return {
    echo: dialect.echo,
    cscs: dialect.alphabet,
    cmee: 0,
    cmgf: dialect.starts_in_text ? 1 : 0,
    csms: 0,
    cnmi: [0, 0, 0, 0, 0],
    reading: storage,
    writing: storage,
    receiving: storage,
    cops_format: 0,
    cfun: dialect.starts_off ? 4 : 1,
    creg: 0,
    cereg: 0,
    cusd: 0,
  }
}

/** A number or a name in quotes, in the alphabet of AT+CSCS. */
export function quoted({ settings }: Machine, text: string): string {
  return `"${settings.cscs === 'UCS2' ? hexOf(Buffer.from(text, 'utf16le').swap16()) : text}"`
}

/** Whether the network would accept an SMS. */
export function isRegistered({ network, sim, settings, unlocked, running_since }: Machine): boolean {
  if (settings.cfun !== 1) return false
  const states = [1, 5, 6, 7, 9, 10]
  return running_since !== undefined && sim.present && unlocked && states.includes(network.registration)
}
