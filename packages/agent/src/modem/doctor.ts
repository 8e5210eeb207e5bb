import { readCnmiSupport, readPinState, readSmsc } from '#agent/at/answers.ts'
import { type Channel, openChannel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'
import { isoNow } from '#agent/clock.ts'
import { fault, type Finding, good, note } from '#agent/findings.ts'
import { askIfKnown } from './ask.ts'
import { readIccidFact, readIdentityFacts, readSignalFacts } from './facts.ts'
import type { ModemNeeds } from './modem.ts'
import type { ModemSettings } from './settings.ts'
import { ALPHABET } from './setup.ts'

type Needs = ModemNeeds & { settings: Pick<ModemSettings, 'pin' | 'smsc' | 'number'> }

/**
 * The findings of `doctor` about a modem. It only asks, and changes only how the modem writes its answers: it does not try
 * a PIN. While the agent holds the port, the only finding is that it is in use.
 */
export async function* examineModem({ clock, openPort, settings }: Needs): AsyncIterable<Finding> {
  const port = await openPort().catch((error: Error) => error)
  if (port instanceof Error) {
    yield fault(port.message, 'Does another program, or another agent, use it?')
    return
  }
  const channel = openChannel({ port, clock, onUnsolicited: () => {} })
  try {
    yield* examineLine(channel, settings, () => isoNow(clock))
  } catch (error) {
    if (!(error instanceof AtError)) throw error
    yield fault(
      `the modem does not answer (${error.message})`,
      'Is this the right one of its ports? Unplug it, and plug it in again.',
    )
  } finally {
    channel.close()
  }
}

async function* examineLine(
  channel: Channel,
  settings: Needs['settings'],
  now: () => string,
): AsyncIterable<Finding> {
  await channel.ask('AT')
  await askIfKnown(channel, 'ATE0')
  await askIfKnown(channel, 'AT+CMEE=1')
  await askIfKnown(channel, ALPHABET)
  const { maker, model, imei, number } = await readIdentityFacts(channel)
  yield good(
    `${[maker, model].filter(Boolean).join(' ') || 'a modem'} answers${imei ? `, IMEI ${imei}` : ''}`,
  )

  const sim = readPinState((await askIfKnown(channel, 'AT+CPIN?', { without_ok_ms: 1_000 })) ?? [])
  if (sim !== 'READY') return yield simFinding(sim, settings)
  const iccid = await readIccidFact(channel)
  yield good(`the SIM is ready${iccid ? `, ICCID ${iccid}` : ''}`)
  const own = settings.number ?? number
  yield own
    ? good(`its number is ${own}`)
    : note(
        'the SIM does not know its number',
        'Set --number: tasks that name a sender find the device by it.',
      )

  const { registration, operator, signal } = await readSignalFacts(channel, now())
  const where = `${registration?.meaning ?? 'unknown'}${operator ? `, ${operator}` : ''}`
  yield registration?.sms
    ? good(`registered: ${where}`)
    : fault(`not registered: ${where}`, 'Check the antenna, its position, and that the SIM is active.')
  yield signal === null
    ? note('the signal is unknown')
    : signal < -105
      ? note(
          `the signal is weak: ${signal} dBm`,
          'Move the modem or use a better antenna: messages will be slow.',
        )
      : good(`signal ${signal} dBm`)

  const smsc = ((await askIfKnown(channel, 'AT+CSCA?')) ?? []).map(readSmsc).find((found) => found !== null)
  const centre = settings.smsc ?? smsc
  yield centre
    ? good(`SMS centre ${centre}`)
    : fault('the SIM has no SMS centre number', 'Ask its operator for it, and set --smsc.')
  const cnmi = (await askIfKnown(channel, 'AT+CNMI=?')) ?? []
  const { ds } = readCnmiSupport(cnmi.find((line) => line.startsWith('+CNMI')) ?? '')
  if (ds.length > 0 && !ds.some((mode) => mode === 1 || mode === 2))
    yield note('this modem passes no delivery reports on')
}

function simFinding(state: string | null, { pin }: Needs['settings']): Finding {
  if (state === 'SIM PIN')
    return pin === undefined
      ? fault('the SIM wants its PIN', 'Set --pin, or switch the PIN off in a phone.')
      : note('the SIM wants its PIN, which the agent enters when it starts')
  if (state === 'SIM PUK') return fault('the SIM is locked and wants its PUK', 'Unlock it in a phone.')
  return fault(
    `the SIM is not ready${state ? ` (${state})` : ''}`,
    'Is there one in the modem, the right way round?',
  )
}
