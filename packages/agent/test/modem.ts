import type { DeliveryReport, Driver, Keeper, Outcome, ReceivedPart, SendProgress } from '#agent/driver.ts'
import { openEmulator } from '#agent/emulator/emulator.ts'
import type { EmulatorOptions, Fault, OnAir } from '#agent/emulator/options.ts'
import { openModemOn } from '#agent/modem/modem.ts'
import type { ModemSettings } from '#agent/modem/settings.ts'
import { openTime } from './time.ts'

export type Received = Parameters<Keeper['received']>[0]

/**
 * The modem driver on an emulated modem, with a clock that the test advances. Data for the keeper is in `received`,
 * `parts` and `deliveries`; sent parts are in `aired`.
 */
export function openTestModem(
  options: EmulatorOptions & { settings?: Partial<ModemSettings>; keeper?: Partial<Keeper> } = {},
) {
  const { settings, keeper: given, ...emulated } = options
  const time = openTime()
  const aired: OnAir[] = []
  const received: Received[] = []
  const parts: ReceivedPart[] = []
  const deliveries: DeliveryReport[] = []
  const changes: string[] = []
  const emulator = openEmulator({
    clock: time,
    ...emulated,
    onAir(part) {
      aired.push(part)
      options.onAir?.(part)
    },
  })
  const keeper: Keeper = {
    received: async (sms) => void received.push(sms),
    typedSince: async () => new Date(0).toISOString(),
    typed: async () => undefined,
    receivedPart: async (part) => void parts.push(part),
    delivery: async (report) => void deliveries.push(report),
    changed: () => void changes.push(opened.radio().says),
    ...given,
  }
  const open = (): Driver =>
    openModemOn(
      { clock: time, openPort: emulator.openPort },
      { port: '/dev/serial/by-id/usb-emulated', ...settings },
      keeper,
    )
  const opened = open()

  return {
    time,
    emulator,
    driver: opened,
    /** Opens another driver on the same modem, as after a restart of the agent. */
    openAgain: open,
    aired,
    received,
    parts,
    deliveries,
    /** The radio's sentence at each change. */
    changes,
    /** Sends one message, and advances the clock until it has its outcome. */
    send: (
      text: string,
      more: {
        to?: string
        silent?: boolean
        from?: string
        iccid?: string
        expires_at?: string
        progress?: Partial<SendProgress>
      } = {},
    ) => time.until(sendOn(opened, text, more)),
    /** Advances the clock until the radio is ready. */
    async ready() {
      for (let tries = 0; tries < 600 && !opened.radio().ready; tries++) await time.pass(500)
    },
    async close() {
      await time.until(opened.close())
      emulator.close()
    },
  }
}

export type TestModem = ReturnType<typeof openTestModem>

let guids = 0

export function sendOn(
  driver: Driver,
  text: string,
  more: {
    to?: string
    silent?: boolean
    from?: string
    iccid?: string
    expires_at?: string
    progress?: Partial<SendProgress>
  } = {},
): Promise<Outcome> {
  const { to = '+34600111222', progress, ...rest } = more
  return driver.send(
    { guid: `guid-${++guids}`, attempt: 1, to, text, ...rest },
    { onAir: async () => {}, partSent: async () => {}, ...progress },
  )
}

/** The modem's answer after Ctrl-Z, and whether the message went out anyway. */
export function answer(says: string, on_air: boolean): Fault {
  return { kind: 'answer', says, on_air }
}

export function code(outcome: Outcome): string {
  return outcome.state === 'failed' ? outcome.code : outcome.state
}

export function block(outcome: Outcome): boolean {
  return outcome.state === 'failed' && outcome.block
}
