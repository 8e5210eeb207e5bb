import { type Answer, OK, refusal, simFault } from './answers.ts'
import { factorySettings, isRegistered, type Machine, quoted } from './machine.ts'
import { ussd } from './ussd.ts'

/** One command: `+CREG` with `?`, `=?`, or `=`. `rest` is the text after `=`. */
export type Command = { name: string; kind: 'run' | 'read' | 'test' | 'set'; rest: string }

export type Run = (machine: Machine, command: Command) => Answer

/** The commands of every modem, except those for messages. */
export const GENERAL: Readonly<Record<string, Run>> = {
  E(machine, { rest }) {
    machine.settings.echo = rest === '0' ? 0 : machine.dialect.echo || 1
    return OK
  },
  Z: reset,
  '&F': reset,
  V: () => OK,
  Q: () => OK,
  '&C': () => OK,
  '&D': () => OK,
  '&W': () => OK,
  X: () => OK,
  S: () => OK,
  H: () => OK,
  I: ({ dialect }) => ({ lines: [dialect.maker, dialect.model, 'Revision: 1.0'] }),
  '+CGMI': ({ dialect }) => ({ lines: [dialect.maker] }),
  '+GMI': ({ dialect }) => ({ lines: [dialect.maker] }),
  '+CGMM': ({ dialect }) => ({ lines: [dialect.model] }),
  '+GMM': ({ dialect }) => ({ lines: [dialect.model] }),
  '+CGMR': () => ({ lines: ['1.0'] }),
  '+GMR': () => ({ lines: ['1.0'] }),
  '+CGSN': ({ dialect }) => ({ lines: [dialect.imei] }),
  '+GSN': ({ dialect }) => ({ lines: [dialect.imei] }),
  '+GCAP': () => ({ lines: ['+GCAP: +CGSM'] }),
  '+CMEE': setting('cmee', '+CMEE', '(0-2)'),
  '+CSCS': alphabet,
  '+CFUN': functionality,
  '+CPIN': pin,
  '+CPINR': ({ sim }) => ({ lines: [`+CPINR: SIM PIN,${sim.pin_tries},3`] }),
  '+CIMI': (machine) => simFault(machine) ?? { lines: [machine.sim.imsi] },
  '+CCID': (machine) =>
    machine.sim.present ? { lines: [`+CCID: "${machine.sim.iccid}"`] } : refusal(machine, 'CME', 10),
  '+CNUM': (machine) => simFault(machine) ?? { lines: numberOf(machine) },
  '+CREG': registration('creg', '+CREG'),
  '+CEREG': registration('cereg', '+CEREG'),
  '+CGREG': (machine, command) => registration('creg', '+CGREG')(machine, command),
  '+COPS': operator,
  '+CSQ': ({ network }) => ({ lines: [`+CSQ: ${network.signal},99`] }),
  '+CBC': () => ({ lines: ['+CBC: 0,100'] }),
  '+CGATT': () => ({ lines: ['+CGATT: 1'] }),
  '+CPAS': () => ({ lines: ['+CPAS: 0'] }),
  '^CURC': () => OK,
  '+CLIP': () => OK,
  '+CUSD': ussd,
}

function reset(machine: Machine): Answer {
  const { reading, writing, receiving } = machine.settings
  machine.settings = { ...factorySettings(machine.dialect), reading, writing, receiving }
  return OK
}

/** A setting with one digit. */
export function setting(key: 'cmee' | 'cmgf' | 'csms', name: string, range: string): Run {
  return (machine, { kind, rest }) => {
    if (kind === 'test') return { lines: [`${name}: ${range}`] }
    if (kind === 'read') return { lines: [`${name}: ${machine.settings[key]}`] }
    if (!/^\d$/.test(rest)) return refusal(machine, 'CME', 3)
    machine.settings[key] = Number(rest)
    return OK
  }
}

function functionality(machine: Machine, { kind, rest }: Command): Answer {
  if (kind === 'test' || (kind === 'read' && machine.dialect.cfun_confused))
    return { lines: ['+CFUN: (0-1,4),(0-1)'] }
  if (kind === 'read') return { lines: [`+CFUN: ${machine.settings.cfun}`] }
  machine.settings.cfun = Number(rest.split(',')[0])
  if (rest.endsWith(',1')) machine.later(100, machine.restart)
  return OK
}

function pin(machine: Machine, { kind, rest }: Command): Answer {
  const { sim, dialect, clock } = machine
  if (!sim.present) return refusal(machine, 'CME', 10)
  if (kind === 'read') {
    if (dialect.cpin_errors && !machine.unlocked) return refusal(machine, 'CME', sim.pin_tries > 0 ? 11 : 12)
    const state = machine.unlocked ? 'READY' : sim.pin_tries > 0 ? 'SIM PIN' : 'SIM PUK'
    return { lines: [`+CPIN: ${state}`], ...(dialect.cpin_ok ? {} : { says: null }) }
  }
  if (machine.unlocked) return refusal(machine, 'CME', 3)
  if (sim.pin_tries === 0) return refusal(machine, 'CME', 12)
  if (rest.replaceAll('"', '') !== sim.pin) {
    sim.pin_tries--
    return refusal(machine, 'CME', sim.pin_tries > 0 ? 16 : 12)
  }
  sim.pin_tries = 3
  machine.unlocked = true
  machine.unlocked_at = clock.uptime()
  return OK
}

function alphabet(machine: Machine, { kind, rest }: Command): Answer {
  const other = machine.dialect.alphabet === 'GSM' ? 'IRA' : 'UCS2'
  if (kind === 'test') return { lines: [`+CSCS: ("GSM","${other}")`] }
  if (kind === 'read') return { lines: [`+CSCS: "${machine.settings.cscs}"`] }
  const wanted = (['GSM', other] as const).find((name) => rest === `"${name}"`)
  if (!wanted) return refusal(machine, 'CME', 3)
  machine.settings.cscs = wanted
  return OK
}

function numberOf(machine: Machine): string[] {
  const { number } = machine.sim
  return number === null ? [] : [`+CNUM: "",${quoted(machine, number)},${number.startsWith('+') ? 145 : 129}`]
}

function registration(key: 'creg' | 'cereg', name: string): Run {
  return (machine, { kind, rest }) => {
    if (kind === 'test') return { lines: [`${name}: (0-2)`] }
    const mode = machine.settings[key]
    const cell = mode === 2 ? ',"00D3","01CE"' : ''
    if (kind === 'read')
      return {
        lines: [`${name}: ${mode},${machine.settings.cfun === 1 ? machine.network.registration : 0}${cell}`],
      }
    machine.settings[key] = Number(rest) || 0
    return OK
  }
}

function operator(machine: Machine, { kind, rest }: Command): Answer {
  const { network, settings } = machine
  if (kind === 'test') return { lines: [`+COPS: (2,"${network.operator}","${network.operator}","21407",7)`] }
  if (kind === 'read') {
    if (!isRegistered(machine)) return { lines: ['+COPS: 0'] }
    const name = settings.cops_format === 2 ? '21407' : network.operator
    return { lines: [`+COPS: 0,${settings.cops_format},${quoted(machine, name)},${network.access}`] }
  }
  const format = /^3,([012])/.exec(rest)?.[1]
  if (format !== undefined) settings.cops_format = Number(format)
  return OK
}
