import type { Duplex } from 'node:stream'
import { type Clock, machineClock } from '#agent/clock.ts'
import type { OpenDriver } from '#agent/driver.ts'
import { openSerialPort } from '#agent/serial/port.ts'
import { portsLike } from '#agent/serial/ports.ts'
import { openBestPort } from './best-port.ts'
import { openModemOn } from './modem.ts'
import type { ModemSettings } from './settings.ts'

const USUAL_BAUD = 115_200

/** The driver of a modem on a serial port. */
export const openModem: OpenDriver<ModemSettings> = async (settings, keeper) =>
  openModemOn({ clock: machineClock, openPort: portOf(settings, machineClock) }, settings, keeper)

/** Opens the port of these settings; rejects with a sentence that names the obstacle. */
export function portOf({ port, baud = USUAL_BAUD }: ModemSettings, clock: Clock): () => Promise<Duplex> {
  return openBestPort({ clock, ports: () => portsLike(port), open: (path) => openSerialPort(path, baud) })
}
