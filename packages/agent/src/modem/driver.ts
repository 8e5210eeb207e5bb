import { machineClock } from '#agent/clock.ts'
import type { OpenDriver } from '#agent/driver.ts'
import { openSerialPort } from '#agent/serial/port.ts'
import { portsLike } from '#agent/serial/ports.ts'
import { openBestPort } from './best-port.ts'
import { openModemOn } from './modem.ts'
import type { ModemSettings } from './settings.ts'

export const USUAL_BAUD = 115_200

/** The driver of a modem on a serial port. */
export const openModem: OpenDriver<ModemSettings> = async (settings, keeper) => {
  const openPort = openBestPort({
    clock: machineClock,
    ports: () => portsLike(settings.port),
    open: (path) => openSerialPort(path, settings.baud ?? USUAL_BAUD),
  })
  return openModemOn({ clock: machineClock, openPort }, settings, keeper)
}
