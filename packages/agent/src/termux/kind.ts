import { machineClock } from '#agent/clock.ts'
import type { DriverKind, Settings } from '#agent/drivers.ts'
import { fault, type Finding, good, note } from '#agent/findings.ts'
import { openTermux, type Termux } from './commands.ts'
import { readNetworks, readPhone } from './networks.ts'
import { listSms } from './sms.ts'
import { NO_REPORTS, openTermuxDriver, stateOf } from './termux.ts'

export const termuxKind: DriverKind = {
  summary: 'this Android phone, through Termux and the app Termux:API',
  options: {
    sim: { value: 'SLOT', meaning: "the SIM's slot, 0 or 1; the phone chooses by default", byOrder: true },
    number: { value: 'NUMBER', meaning: "the SIM's own number, for the console", byOrder: true },
  },
  check(settings) {
    const { sim } = settings
    if (sim !== undefined && !/^[01]$/.test(sim)) {
      return Promise.reject(new Error(`--sim ${sim} is not a slot: use 0 or 1`))
    }
    return Promise.resolve(settings)
  },
  open({ settings, ...needs }) {
    const { sim: slot, number } = settings
    return Promise.resolve(openTermuxDriver({ ...needs, termux: openTermux(), slot, number }))
  },
  examine: (settings) => examine(openTermux({ within_ms: 10_000 }), settings),
}

/** The findings of `doctor` about the phone. */
export async function* examine(termux: Termux, { sim: slot, number }: Settings): AsyncIterable<Finding> {
  const phone = await readPhone(termux).catch((error: Error) => error)
  if (phone instanceof Error) {
    yield fault(
      phone.message,
      'Install the app Termux:API next to Termux, start it once, and grant it SMS and phone.',
    )
    return
  }
  const { ready, says } = stateOf(phone)
  yield ready ? good(says) : fault(says, 'Check the SIM and the network on the phone itself.')
  const at = new Date(machineClock.now()).toISOString()
  const { mobile } = await readNetworks(termux, { slot, number, at })
  const signal = mobile?.intensity
  yield typeof signal === 'number'
    ? good(`signal ${signal} dBm`)
    : note(
        'the signal is unknown',
        'Grant Termux:API the location permission: Android counts cells as location.',
      )
  const listed = await listSms(termux, 'all', 1).catch((error: Error) => error)
  yield listed instanceof Error
    ? fault(
        `the phone's SMS cannot be read: ${listed.message}`,
        'Grant Termux:API the SMS permission: without it nothing is received, and no outcome is seen.',
      )
    : good("the phone's SMS can be read")
  yield note(`no delivery reports: ${NO_REPORTS}`, 'Use the driver android-gateway for delivery reports.')
}
