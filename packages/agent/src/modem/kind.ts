import { machineClock } from '#agent/clock.ts'
import type { DriverKind, Settings } from '#agent/drivers.ts'
import { type Finding, note } from '#agent/findings.ts'
import { portsLike, sticksById } from '#agent/serial/ports.ts'
import { examineModem } from './doctor.ts'
import { openModem, portOf } from './driver.ts'
import { codesOf, type ModemSettings } from './settings.ts'

export const modemKind: DriverKind = {
  summary: 'a modem on a serial port, mostly a USB stick with a SIM',
  options: {
    port: {
      value: 'FILE',
      meaning: 'its device file, best one below /dev/serial/by-id; * at its end: all like it',
    },
    baud: { value: 'RATE', meaning: 'the speed of the port in bits per second, 115200 by default' },
    pin: { value: 'PIN', meaning: 'the PIN of the SIM; tried once', secret: true },
    number: {
      value: 'NUMBER',
      meaning: "the SIM's own number, if the SIM does not store it",
      byOrder: true,
    },
    smsc: { value: 'NUMBER', meaning: "the operator's SMS centre, if the SIM has none", byOrder: true },
    'no-credit': {
      value: 'CODES',
      meaning: 'the codes of +CMS ERROR by which the operator says that the SIM has no credit: 21,50',
      byOrder: true,
    },
  },
  async check(settings) {
    for (const [option, { pattern, meaning }] of Object.entries(FORMS)) {
      const value = settings[option]
      if (value !== undefined && !pattern.test(value))
        throw new Error(`--${option} ${value} is not ${meaning}`)
    }
    return settings['port'] === undefined ? { ...settings, port: await onlyStick() } : settings
  },
  open: ({ settings, keeper }) => openModem(modemSettings(settings), keeper),
  examine: (settings) => {
    const modem = modemSettings(settings)
    return examineModem({ clock: machineClock, openPort: portOf(modem, machineClock), settings: modem })
  },
  survey,
}

const NUMBER = { pattern: /^\+?\d{3,15}$/, meaning: 'a number: + and 6 to 15 digits, or 3 to 15 digits' }
const FORMS: Record<string, { pattern: RegExp; meaning: string }> = {
  baud: { pattern: /^\d{3,7}$/, meaning: 'a speed in bits per second' },
  pin: { pattern: /^\d{4,8}$/, meaning: 'a PIN: 4 to 8 digits' },
  number: NUMBER,
  smsc: NUMBER,
  'no-credit': {
    pattern: /^(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])(?:,(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5]))*$/,
    meaning: 'a list of codes from 0 to 255, with commas',
  },
}

/** Command-line options in the driver's form; `check` has validated them. */
export function modemSettings({
  port = '',
  baud,
  pin,
  number,
  smsc,
  'no-credit': no_credit,
}: Settings): ModemSettings {
  return {
    port,
    ...(baud !== undefined && { baud: Number(baud) }),
    ...(pin !== undefined && { pin }),
    ...(number !== undefined && { number }),
    ...(smsc !== undefined && { smsc }),
    ...(no_credit !== undefined && { no_credit: codesOf(no_credit) }),
  }
}

async function onlyStick(): Promise<string> {
  const sticks = await sticksById()
  if (sticks.length === 1) return sticks[0]!
  if (sticks.length === 0)
    throw new Error(
      'No modem is plugged in: plug one in, name its port with --port, or try without one: --driver simulated',
    )
  throw new Error(
    `Several are plugged in: name one with --port\n${sticks.map((stick) => `  ${stick}`).join('\n')}`,
  )
}

async function* survey(taken: readonly Settings[]): AsyncIterable<Finding> {
  const taken_ports = await Promise.all(taken.map(({ port = '' }) => portsLike(port)))
  const linked = new Set(taken_ports.flat())
  for (const stick of await sticksById()) {
    const ports = await portsLike(stick)
    if (!ports.some((port) => linked.has(port)))
      yield note(`${stick} is plugged in, but no device is linked to it`, `Link it with --port '${stick}'.`)
  }
}
