import { readCnmiSupport, readSmsc, readStorages } from '#agent/at/answers.ts'
import type { Channel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'
import type { Clock } from '#agent/clock.ts'
import { askIfKnown, askWhenFree } from './ask.ts'
import { readIccidFact } from './facts.ts'
import { type TriedPin, unlockSim } from './pin.ts'
import type { ModemSettings } from './settings.ts'
import { Trouble } from './trouble.ts'

/** The modem's settings, until it restarts. */
export type Profile = {
  /** True if delivery reports arrive, else the reason why not. */
  reports: true | string
  /** Direct messages are acknowledged with AT+CNMA; otherwise the network sends them again. */
  acknowledges: boolean
  /** The storages that may contain messages. */
  storages: string[]
  smsc: string | null
  /** The ICCID of the SIM that it is set up for; null if the modem does not report it. */
  iccid: string | null
  /** The modem's answer about its settings. If a later answer differs, the modem has lost them. */
  settings: string | undefined
}

/** Facts about the SIM, which outlive a port. */
export type Memory = {
  tried_pins: TriedPin[]
  /** The last SMS centre of this SIM, because some modems lose theirs. */
  smsc: string | null
  iccid: string | null
}

type Needs = {
  channel: Pick<Channel, 'ask'>
  clock: Clock
  settings: ModemSettings
  memory: Memory
}

/**
 * The alphabet of numbers, names and USSD codes. A modem that another program left in UCS2 writes them as hex, and then its
 * SIM seems to have no SMS centre.
 */
export const ALPHABET = 'AT+CSCS="GSM"'

const HELLO_TRIES = 5
const HELLO_MS = 2_000

/**
 * Sets everything that a modem loses when it starts. Runs at the beginning and after each start. Throws a Trouble if a
 * person has to act first.
 */
export async function setUp(needs: Needs): Promise<Profile> {
  const { channel } = needs
  await greet(channel)
  for (const command of ['ATE0', 'AT+CMEE=1']) await askIfKnown(channel, command)
  await switchRadioOn(channel)
  // Switches off Huawei's signal reports, sent every few seconds.
  await askIfKnown(channel, 'AT^CURC=0')
  await unlockSim(needs)
  const iccid = await readIccidFact(channel)
  if (iccid !== needs.memory.iccid) Object.assign(needs.memory, { iccid, smsc: null })
  await askIfKnown(channel, ALPHABET)
  await askWhenFree(needs, 'AT+CMGF=0')
  const storages = await findStorages(needs)
  const acknowledges = await chooseService(channel, storages.length === 0)
  const reports = await routeMessages(channel, storages.length > 0)
  // After AT+CNMI, because that makes some modems forget it.
  const smsc = await findSmsc(needs)
  for (const command of ['AT+CREG=1', 'AT+CEREG=1', 'AT+COPS=3,0']) await askIfKnown(channel, command)
  return { reports, acknowledges, storages, smsc, iccid, settings: await readSettings(channel) }
}

/** The settings that a silent restart would change; undefined if the modem does not report them. */
export async function readSettings(channel: Needs['channel']): Promise<string | undefined> {
  const routing = await askIfKnown(channel, 'AT+CNMI?')
  const mode = await askIfKnown(channel, 'AT+CMGF?')
  return routing && mode && [...routing, ...mode].join(' ')
}

async function greet(channel: Needs['channel']): Promise<void> {
  for (let left = HELLO_TRIES; ; left--) {
    try {
      await channel.ask('AT', { timeout_ms: HELLO_MS })
      return
    } catch (error) {
      if (!(error instanceof AtError) || error.reason === 'gone') throw error
      if (error.reason === 'refused') return
      if (left === 1)
        throw new Trouble(
          'the modem does not answer: is this the right one of its ports? If so, unplug it and plug it in again',
          0,
          'silent',
        )
    }
  }
}

/** Some modems start with their radio off. A non-numeric answer is ignored: one model answers as if to AT+CFUN=?. */
async function switchRadioOn(channel: Needs['channel']): Promise<void> {
  const lines = (await askIfKnown(channel, 'AT+CFUN?')) ?? []
  if (lines.some((line) => /^\+CFUN:\s*[02-9]\s*$/.test(line))) await askIfKnown(channel, 'AT+CFUN=1')
}

/** Empty if the modem only delivers messages directly. */
async function findStorages(needs: Needs): Promise<string[]> {
  const lines = await askIfKnown(needs.channel, 'AT+CPMS=?')
  const { mem1, mem3 } = readStorages(lines?.find((line) => line.startsWith('+CPMS')) ?? '')
  const known = ['SM', 'ME', 'MT', 'SR'].filter((name) => mem1.includes(name) || mem3.includes(name))
  // MT is SM and ME together: its messages would be read twice.
  return known.includes('SM') || known.includes('ME') ? known.filter((name) => name !== 'MT') : known
}

/**
 * With AT+CSMS=1 the agent must acknowledge direct messages, and a late acknowledgement stops them. So it is used only
 * if the modem has no storage.
 */
async function chooseService(channel: Needs['channel'], direct: boolean): Promise<boolean> {
  if (await askIfKnown(channel, `AT+CSMS=${direct ? 1 : 0}`)) return direct
  const lines = await askIfKnown(channel, 'AT+CSMS?')
  return lines?.some((line) => /^\+CSMS:\s*1\b/.test(line)) ?? false
}

/** Some modems refuse what they advertise. Tries direct reports, then stored ones, then none. */
async function routeMessages(channel: Needs['channel'], stored: boolean): Promise<true | string> {
  const lines = await askIfKnown(channel, 'AT+CNMI=?')
  const { mode, ds } = readCnmiSupport(lines?.find((line) => line.startsWith('+CNMI')) ?? '')
  const modes = [2, 1, 3].filter((candidate) => mode.length === 0 || mode.includes(candidate))
  for (const wanted of [1, 2, 0]) {
    if (wanted > 0 && ds.length > 0 && !ds.includes(wanted)) continue
    const cnmi = `${modes[0] ?? 2},${stored ? 1 : 2},0,${wanted}`
    if (await askIfKnown(channel, `AT+CNMI=${cnmi}`)) return wanted > 0 || NO_REPORTS
  }
  return NO_REPORTS
}

const NO_REPORTS = 'this modem passes no delivery reports on (AT+CNMI)'

/** The SMS centre from the settings, the SIM, or this SIM's earlier one; null if none is known. */
async function findSmsc(needs: Needs): Promise<string | null> {
  const { channel, memory, settings } = needs
  const lines = await askWhenFree(needs, 'AT+CSCA?')
  const smsc = lines.map(readSmsc).find((found) => found !== null) ?? null
  const wanted = settings.smsc ?? smsc ?? memory.smsc
  if (wanted !== null && wanted !== smsc) {
    await channel.ask(`AT+CSCA="${wanted}",${wanted.startsWith('+') ? 145 : 129}`)
  }
  memory.smsc = wanted
  return wanted
}
