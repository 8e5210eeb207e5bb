import { decodePdu } from '@sdd/sms/pdu.ts'
import { type Answer, OK, refusal, simFault } from './answers.ts'
import { type Command, type Run, setting } from './commands.ts'
import { type Machine, quoted } from './machine.ts'
import type { Air } from './network.ts'
import type { Kept } from './places.ts'

/** The commands of 3GPP TS 27.005 in PDU mode, except AT+CMGS. */
export function messageCommands(air: Air): Readonly<Record<string, Run>> {
  return {
    '+CMGF': (machine, command) =>
      command.kind === 'set' && command.rest === '1'
        ? refusal(machine, 'CMS', 303)
        : setting('cmgf', '+CMGF', '(0)')(machine, command),
    '+CSMS': services,
    '+CSCA': centre,
    '+CSMP': (machine, { kind }) => {
      if (kind === 'set' && machine.dialect.forgets_smsc) machine.sim.smsc = null
      return kind === 'read' ? { lines: ['+CSMP: 17,167,0,0'] } : OK
    },
    '+CPMS': storages,
    '+CNMI': (machine, command) => {
      const answer = indications(machine, command)
      machine.later(0, air.retry)
      return answer
    },
    '+CNMA': (machine) => (air.acknowledged() ? OK : refusal(machine, 'CMS', 340)),
    '+CMGL': list,
    '+CMGR': read,
    '+CMGD': (machine, command) => {
      const answer = remove(machine, command)
      machine.later(0, air.retry)
      return answer
    },
  }
}

function services(machine: Machine, { kind, rest }: Command): Answer {
  const { settings, dialect } = machine
  if (kind === 'test') return { lines: [dialect.csms === 1 ? '+CSMS: (0,1)' : '+CSMS: (0)'] }
  if (kind === 'read') return { lines: [`+CSMS: ${settings.csms},1,1,1`] }
  if (Number(rest) > dialect.csms) return refusal(machine, 'CMS', 303)
  settings.csms = Number(rest)
  return { lines: ['+CSMS: 1,1,1'] }
}

function centre(machine: Machine, { kind, rest }: Command): Answer {
  const fault = simFault(machine)
  if (fault) return fault
  const { sim } = machine
  if (kind === 'read')
    return { lines: [`+CSCA: ${quoted(machine, sim.smsc ?? '')},${sim.smsc?.startsWith('+') ? 145 : 129}`] }
  if (kind === 'set') sim.smsc = /"(\+?\d+)"/.exec(rest)?.[1] ?? null
  return OK
}

function storages(machine: Machine, { kind, rest }: Command): Answer {
  const fault = simFault(machine)
  if (fault) return fault
  const { settings, dialect, places } = machine
  const use = (name: string): string => `${listed(machine, name).length},${places.total(name)}`
  const { reading, writing, receiving } = settings
  if (kind === 'test') {
    const all = `(${dialect.storages.map((name) => `"${name}"`).join(',')})`
    return { lines: [`+CPMS: ${dialect.cpms_test ?? [all, all, all].join(',')}`] }
  }
  if (kind === 'read') {
    if (dialect.storages.length === 0) return { lines: ['+CPMS: ,,,,,,,,'] }
    return {
      lines: [`+CPMS: ${[reading, writing, receiving].map((name) => `"${name}",${use(name)}`).join(',')}`],
    }
  }
  const names = [...rest.matchAll(/"([A-Z]{2})"/g)].map((match) => match[1]!)
  if (names.length === 0 || names.some((name) => !dialect.storages.includes(name)))
    return refusal(machine, 'CMS', 302)
  settings.reading = names[0]!
  settings.writing = names[1] ?? writing
  settings.receiving = names[2] ?? receiving
  return { lines: [`+CPMS: ${[settings.reading, settings.writing, settings.receiving].map(use).join(',')}`] }
}

function indications(machine: Machine, { kind, rest }: Command): Answer {
  const { settings, dialect } = machine
  if (kind === 'test') return { lines: [`+CNMI: ${dialect.cnmi_support}`] }
  if (kind === 'read') return { lines: [`+CNMI: ${settings.cnmi.join(',')}`] }
  const [mode = 0, mt = 0, bm = 0, ds = 0, bfr = 0] = rest === '' ? [] : rest.split(',').map(Number)
  if (dialect.cnmi_refuses_ds.includes(ds)) return refusal(machine, 'CMS', 303)
  settings.cnmi = [mode, mt, bm, ds, bfr]
  if (dialect.forgets_smsc) machine.sim.smsc = null
  return OK
}

function list(machine: Machine, { kind, rest }: Command): Answer {
  const { settings, dialect } = machine
  if (dialect.listing === 'none') return { says: dialect.refusal }
  if (kind === 'test') return { lines: ['+CMGL: (0-4)'] }
  const fault = simFault(machine)
  if (fault) return fault
  const wanted = Number(rest || '0')
  const kept = listed(machine, settings.reading).filter(({ status }) => wanted === 4 || status === wanted)
  const lines = kept.flatMap((place) => {
    if (place.status === 0) place.status = 1
    const shown = dialect.listing === 'wrong_indexes' ? place.index + 1 : place.index
    return written(`+CMGL: ${shown},`, place, machine)
  })
  return { lines }
}

/** The messages of a storage that lists and counts show. */
function listed({ places, dialect }: Machine, storage: string): Kept[] {
  const all = places.list(storage)
  if (dialect.listing !== 'no_reports') return all
  return all.filter(({ pdu }) => decodePdu(pdu).type !== 'status-report')
}

function read(machine: Machine, { rest }: Command): Answer {
  const fault = simFault(machine)
  if (fault) return fault
  const place = machine.places.at(machine.settings.reading, Number(rest))
  if (!place) return refusal(machine, 'CMS', 321)
  const lines = written('+CMGR: ', place, machine)
  if (place.status === 0) place.status = 1
  return { lines }
}

/** A header and the PDU, as this modem writes them. */
function written(before: string, { status, pdu, atLength }: Kept, { dialect }: Machine): string[] {
  const { listing } = dialect
  if (listing === 'one_line') return [`${before}${status},,${atLength} ${pdu}`]
  if (listing === 'no_name') return [`${before}${status},${atLength}`, pdu]
  if (listing === 'empty_name') return [`${before}${status},"",${atLength}`, pdu]
  return [`${before}${status},,${listing === 'wrong_length' ? pdu.length / 2 : atLength}`, pdu]
}

function remove(machine: Machine, { kind, rest }: Command): Answer {
  const { settings, places } = machine
  const fault = simFault(machine)
  if (fault) return fault
  if (kind === 'test') {
    const indexes = places.list(settings.reading).map(({ index }) => index)
    return { lines: [`+CMGD: (${indexes.join(',')}),(0-4)`] }
  }
  const [index = 0, flag = 0] = rest.split(',').map(Number)
  if (flag > 0) for (const kept of places.list(settings.reading)) places.remove(settings.reading, kept.index)
  else if (!places.remove(settings.reading, index)) return refusal(machine, 'CMS', 321)
  return OK
}
