import type { DriverKind, DriverNeeds } from '#agent/drivers.ts'
import type { Driver } from '#agent/driver.ts'
import type { OnAir } from '#agent/emulator/options.ts'
import { openEmulator } from '#agent/emulator/emulator.ts'
import { type Finding, good, note } from '#agent/findings.ts'
import { openModemOn } from '#agent/modem/modem.ts'

export const simulatedKind: DriverKind = {
  summary: 'a simulated modem: it sends nothing, but otherwise works like a real one',
  options: {
    number: { value: 'NUMBER', meaning: "its SIM's number", byOrder: true },
    operator: { value: 'NAME', meaning: 'its network' },
  },
  check: (settings) => Promise.resolve(settings),
  open: (needs) => Promise.resolve(openSimulated(needs)),
  examine,
}

/** The share of messages that get a reply after a while. */
const REPLYING = 0.3
const REPLY_MS = [5_000, 20_000] as const
const REPLIES = ['Ok, gracias', 'Recibido', 'Sí', '¿Quién es?', 'Perfecto 👍', 'BAJA'] as const

function openSimulated({ settings, keeper, clock, since }: DriverNeeds): Driver {
  const { number = null, operator = 'Movistar' } = settings
  const closing = new AbortController()
  const sim = { number, iccid: iccidFor(number ?? since) }
  const emulator = openEmulator({ clock, sim, network: { operator }, onAir: reply })
  const driver = openModemOn({ clock, openPort: emulator.openPort }, { port: 'simulated' }, keeper)

  function reply({ to, concat }: OnAir): void {
    if ((concat && concat.n < concat.of) || Math.random() >= REPLYING) return
    const [least, most] = REPLY_MS
    const cancel = clock.after(least + Math.random() * (most - least), () => {
      const text = REPLIES[Math.floor(Math.random() * REPLIES.length)]!
      emulator.receive({ from: to, text })
    })
    closing.signal.addEventListener('abort', cancel, { once: true })
  }

  return {
    ...driver,
    name: 'simulated modem',
    radio: driver.radio,
    get delivery_reports() {
      return driver.delivery_reports
    },
    async close() {
      closing.abort()
      await driver.close()
      emulator.close()
    },
  }
}

/** A SIM of its own: the server would take the same ICCID in another device for a SIM that was moved there. */
function iccidFor(digits: string): string {
  return `8934${digits.replaceAll(/\D/g, '').slice(-15).padStart(15, '0')}`
}

async function* examine(): AsyncIterable<Finding> {
  yield await Promise.resolve(good('the simulated modem is always ready'))
  yield note('its messages reach no real phone')
}
