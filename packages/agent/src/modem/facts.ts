import type { Networks } from '@sdd/contract/fleet/devices.ts'
import { readIccid, readIdentity, readOperator, readOwnNumber, readSignal } from '#agent/at/answers.ts'
import type { Channel } from '#agent/at/channel.ts'
import { type Registration, readRegistration } from '#agent/at/registration.ts'
import { askIfKnown } from './ask.ts'

/** Facts that do not change while this SIM is in this modem. */
export type Identity = {
  maker: string | null
  model: string | null
  imei: string | null
  number: string | null
}

/** Facts that change with time and place. */
export type Signal = {
  registration: Registration | undefined
  operator: string | null
  access: string | null
  /** dBm */
  signal: number | null
  /** ISO 8601 */
  at: string
}

/** The ICCID command differs between makers; each is tried once. */
const ICCID_COMMANDS = ['AT+CCID', 'AT^ICCID?', 'AT+ICCID', 'AT+QCCID', 'AT+CICCID', 'AT#CCID']
const ICCID_PREFIXES = ['+CCID', '^ICCID', '+ICCID', '+QCCID', '+CICCID', '#CCID']

export async function readIdentityFacts(channel: Pick<Channel, 'ask'>): Promise<Identity> {
  const maker = (await askIfKnown(channel, 'AT+CGMI'))?.[0] ?? null
  const model = (await askIfKnown(channel, 'AT+CGMM'))?.[0] ?? null
  const imei = readIdentity((await askIfKnown(channel, 'AT+CGSN')) ?? [])
  return { maker, model, imei, number: await readNumberFact(channel) }
}

/** Null also while the SIM is starting: some modems know the number only once they have read the phone book. */
export async function readNumberFact(channel: Pick<Channel, 'ask'>): Promise<string | null> {
  return readOwnNumber((await askIfKnown(channel, 'AT+CNUM')) ?? [])
}

export async function readIccidFact(channel: Pick<Channel, 'ask'>): Promise<string | null> {
  for (const command of ICCID_COMMANDS) {
    const iccid = readIccid((await askIfKnown(channel, command, { awaited: ICCID_PREFIXES })) ?? [])
    if (iccid !== null) return iccid
  }
  return null
}

/** An SMS can use the circuit-switched or the LTE registration; either is enough. */
export async function readSignalFacts(channel: Pick<Channel, 'ask'>, at: string): Promise<Signal> {
  const states: Registration[] = []
  for (const command of ['AT+CREG?', 'AT+CEREG?']) {
    const lines = (await askIfKnown(channel, command)) ?? []
    states.push(...lines.flatMap((line) => readRegistration(line) ?? []))
  }
  const operator = (await askIfKnown(channel, 'AT+COPS?'))?.map(readOperator)[0]
  const signal = (await askIfKnown(channel, 'AT+CSQ'))?.map(readSignal)[0] ?? null
  return {
    registration: states.find(({ sms }) => sms) ?? states[0],
    operator: operator?.operator ?? null,
    access: operator?.access ?? null,
    signal,
    at,
  }
}

/** The facts of a modem that cannot be in a network. Without any facts it would be unknown whether it has a SIM. */
export function noSignal(at: string): Signal {
  return { registration: undefined, operator: null, access: null, signal: null, at }
}

/** The snapshot in the server's form. A modem has no WiFi and one SIM. */
export function networksOf(
  known: { iccid: string | null; number: string | null } | undefined,
  signal: Signal | undefined,
): Networks {
  if (!signal) return { wifi: null, mobile: null }
  const { registration, operator, access } = signal
  const sim = known && {
    id: 1,
    slot: 1,
    // Abroad, the network is not the SIM's operator, and nothing names that operator.
    carrier: registration?.roaming ? null : operator,
    operator_name: operator,
    phone_number: known.number,
    iccid: known.iccid,
    roaming: registration?.sms ? registration.roaming : null,
    network_type_label: access,
  }
  return { wifi: null, mobile: { intensity: signal.signal, captured_at: signal.at, sims: sim ? [sim] : [] } }
}
