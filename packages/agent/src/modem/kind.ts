import { machineClock } from '#agent/clock.ts'
import type { DriverKind, Settings } from '#agent/drivers.ts'
import { type Finding, note } from '#agent/findings.ts'
import { portsLike, sticksById } from '#agent/serial/ports.ts'
import { examineModem } from './doctor.ts'
import { openModem, portOf } from './driver.ts'
import type { ModemSettings } from './settings.ts'

export const modemKind: DriverKind = {
  summary: 'a modem on a serial port, mostly a USB stick with a SIM',
  options: {
    port: {
      value: 'FILE',
      meaning: 'its device file, best one below /dev/serial/by-id; * at its end: all like it',
    },
    baud: { value: 'RATE', meaning: 'bits a second of the port, 115200 where it is left out' },
    pin: { value: 'PIN', meaning: 'of the SIM; tried once', secret: true },
    number: { value: 'NUMBER', meaning: "the SIM's own number, where it does not know it" },
    smsc: { value: 'NUMBER', meaning: "the operator's SMS centre, where the SIM has none" },
  },
  async check(settings) {
    for (const [option, { like, means }] of Object.entries(FORMS)) {
      const value = settings[option]
      if (value !== undefined && !like.test(value)) throw new Error(`--${option} ${value} is not ${means}`)
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

const NUMBER = { like: /^\+?\d{3,15}$/, means: 'a number: + and 6 to 15 digits, or 3 to 15 digits' }
const FORMS: Record<string, { like: RegExp; means: string }> = {
  baud: { like: /^\d{3,7}$/, means: 'a speed in bits a second' },
  pin: { like: /^\d{4,8}$/, means: 'a PIN: 4 to 8 digits' },
  number: NUMBER,
  smsc: NUMBER,
}

/** Command-line options as the driver wants them; `check` has seen them. */
export function modemSettings({ port = '', baud, pin, number, smsc }: Settings): ModemSettings {
  return {
    port,
    ...(baud !== undefined && { baud: Number(baud) }),
    ...(pin !== undefined && { pin }),
    ...(number !== undefined && { number }),
    ...(smsc !== undefined && { smsc }),
  }
}

async function onlyStick(): Promise<string> {
  const sticks = await sticksById()
  if (sticks.length === 1) return sticks[0]!
  if (sticks.length === 0)
    throw new Error('No modem is plugged in: plug one in, or name its port with --port')
  throw new Error(
    `Several are plugged in: name one with --port\n${sticks.map((stick) => `  ${stick}`).join('\n')}`,
  )
}

async function* survey(taken: readonly Settings[]): AsyncIterable<Finding> {
  const ports = await Promise.all(taken.map(({ port = '' }) => portsLike(port)))
  const linked = new Set(ports.flat())
  for (const stick of await sticksById()) {
    const its = await portsLike(stick)
    if (!its.some((port) => linked.has(port)))
      yield note(`${stick} is plugged in, and no device is linked to it`, `Link it with --port '${stick}'.`)
  }
}
