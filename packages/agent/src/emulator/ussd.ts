import { decodeGsm7, encodeGsm7, packSeptets, unpackSeptets } from '@sdd/sms/gsm7.ts'
import { hexOf, octetsOfHex } from '@sdd/sms/octets.ts'
import { type Answer, OK, refusal, simFault } from './answers.ts'
import { isRegistered, type Machine } from './machine.ts'

const NO_NETWORK = 30
const WRONG_PARAMETERS = 50
const GSM_DCS = 15
const UCS2_DCS = 72

/** AT+CUSD of 3GPP TS 27.007 section 7.15: dials codes, answers menus, and cancels sessions. */
export function ussd(machine: Machine, { kind, rest }: { kind: string; rest: string }): Answer {
  const { settings, dialect } = machine
  if (kind === 'test') return { lines: ['+CUSD: (0-2)'] }
  if (kind === 'read') return { lines: [`+CUSD: ${settings.cusd}`] }
  const [, mode, text] = /^(\d)?(?:,"([^"]*)"(?:,\d+)?)?$/.exec(rest) ?? []
  if (mode === '2') return cancelled(machine)
  if (mode === '0' || mode === '1') settings.cusd = Number(mode)
  if (text === undefined) return mode === undefined ? refusal(machine, 'CME', WRONG_PARAMETERS) : OK
  const code = dialect.ussd === 'packed' ? unpack(text) : text
  if (code === undefined || !/^[\w*#+]+$/.test(code)) return refusal(machine, 'CME', WRONG_PARAMETERS)
  const fault = simFault(machine)
  if (fault) return fault
  if (!isRegistered(machine)) return refusal(machine, 'CME', NO_NETWORK)
  return dialled(machine, code)
}

function dialled(machine: Machine, code: string): Answer {
  const { network, chance, settings } = machine
  const said = network.ussd(code, machine.ussd_open)
  if (said === null) return OK
  if ('cme' in said) return refusal(machine, 'CME', said.cme)
  const session = ++machine.ussd_sessions
  machine.ussd_open = said.state === 1
  machine.later(chance.within(network.ussd_ms), () => {
    if (session === machine.ussd_sessions && settings.cusd === 1) machine.say(line(machine, said))
  })
  return OK
}

function cancelled(machine: Machine): Answer {
  const confirms = machine.ussd_open
  machine.ussd_open = false
  machine.ussd_sessions++
  if (confirms) machine.later(50, () => machine.say('+CUSD: 2'))
  return OK
}

function line({ dialect }: Machine, { state, text }: { state: number; text?: string }): string {
  if (text === undefined) return `+CUSD: ${state}`
  const [written, dcs] = write(text, dialect.ussd)
  return `+CUSD: ${state},"${written}",${dcs}`
}

/** As the modem prints it, one character for each byte. */
function write(text: string, form: Machine['dialect']['ussd']): [written: string, dcs: number] {
  const septets = septetsOf(text)
  if (!septets || form === 'ucs2') return [hexOf(Buffer.from(text, 'utf16le').swap16()), UCS2_DCS]
  if (form === 'text') return [String.fromCharCode(...septets), GSM_DCS]
  // Eight septets fill seven octets: the padding of seven would read as an @.
  const padded = septets.length % 8 === 7 ? [...septets, 0x0d] : septets
  return [hexOf(packSeptets(padded)), GSM_DCS]
}

/** Undefined if the network must write it in UCS-2. */
function septetsOf(text: string): Uint8Array | undefined {
  try {
    return encodeGsm7(text)
  } catch {
    return undefined
  }
}

function unpack(hex: string): string | undefined {
  if (!/^([0-9A-F]{2})+$/i.test(hex)) return undefined
  const octets = octetsOfHex(hex)
  const text = decodeGsm7(unpackSeptets(octets, Math.floor((octets.length * 8) / 7)))
  return text.replace(/[\r@]$/, '')
}
