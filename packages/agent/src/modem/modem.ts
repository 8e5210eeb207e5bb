import type { Duplex } from 'node:stream'
import { type Channel, openChannel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'
import type { Unsolicited } from '#agent/at/reading.ts'
import { type Clock, isoNow, within } from '#agent/clock.ts'
import type { Driver, Keeper } from '#agent/driver.ts'
import {
  type Identity,
  networksOf,
  readIdentityFacts,
  readNumberFact,
  noSignal,
  readSignalFacts,
  type Signal,
} from './facts.ts'
import { openInbox } from './inbox.ts'
import { keepOpen } from './keep-open.ts'
import { openPace } from './pace.ts'
import { describeRadio, openWatchers } from './radio.ts'
import { openWakeableSleep } from './wakeable-sleep.ts'
import { openSender } from './send.ts'
import { codesOf, type ModemSettings } from './settings.ts'
import { type Memory, type Profile, setUp } from './setup.ts'
import { restartModem } from './restart.ts'
import { openRestartOrder } from './restart-order.ts'
import { Trouble } from './trouble.ts'
import { openUssd } from './ussd.ts'
import { openWatch } from './watch.ts'

export type ModemNeeds = {
  clock: Clock
  /** Opens the modem's port; rejects with a sentence that names the obstacle. `silent`: nothing answered on the last. */
  openPort: (silent?: boolean) => Promise<Duplex>
}

/** After a line of a start, or a restart command, more lines may follow. */
const QUIET_MS = 3_000
const START_MS = 15_000
const RESTART_EVERY_MS = 5 * 60_000
/** Consecutive commands without an answer, after which the port is reopened. */
const MOST_MISSES = 2
const REFUSED_AGAIN_MS = 30_000
const TROUBLE_AGAIN_MS = 10 * 60_000
/** A message that was handed over can still get its answer while the agent stops. */
const CLOSING_MS = 8_000
/** The search for a port takes time. */
const LETTING_GO_MS = 1_000
const FRESH_MS = 5_000
const ROOM_MS = 30_000

/** A modem on a serial line. It is set up, watched, and set up again each time it loses its settings. */
export function openModemOn(
  { clock, openPort }: ModemNeeds,
  settings: ModemSettings,
  keeper: Keeper,
): Driver {
  const memory: Memory = { tried_pins: [], smsc: null, iccid: null }
  const pace = openPace(clock)
  /** `stop` ends new work; `end` then closes the line. */
  const stop = new AbortController()
  const end = new AbortController()
  /** An order may change these. */
  let { number: own_number, smsc, no_credit = [] } = settings
  let channel: Channel | undefined
  let profile: Profile | undefined
  let identity: Identity | undefined
  let sim: string | null = null
  let signal: Signal | undefined
  let trouble = 'the port is not open yet'
  let power: string | undefined
  let misses = 0
  /** The last try to set it up had no answer. */
  let silent = false
  /** Until then no command is sent, because the modem is starting. */
  let quiet_until = 0
  let restarted_at = -Infinity
  let last_sent_at: string | null = null
  let under_way: Promise<unknown> = Promise.resolve()

  const number = (): string | undefined => own_number ?? identity?.number ?? undefined
  const inbox = openInbox({ keeper, clock, sim: number, profile: () => profile })
  const radio = () =>
    describeRadio({
      trouble,
      profile,
      signal,
      power,
      pause: pace.pause(),
      alarm: inbox.alarm(),
      last_sent_at,
    })
  const watchers = openWatchers({
    clock,
    stopping: stop.signal,
    radio,
    signal: () => signal,
    changed: keeper.changed,
  })

  const watch = openWatch({
    clock,
    inbox,
    onSignal(seen) {
      signal = seen
      watchers.update()
    },
  })
  const { sleepUntilWoken, wake } = openWakeableSleep(clock, end.signal)

  const send = openSender({
    clock,
    pace,
    stopping: stop.signal,
    number,
    iccid: () => sim,
    noCredit: () => no_credit,
    channel: () => (profile ? channel : undefined),
    ready: watchers.ready,
    says: () => radio().says,
    restart,
    makeRoom: async () => {
      if (channel && profile) await within(clock, ROOM_MS, inbox.tend({ channel, profile }, true))
    },
    setUpAgain: () => requireSetUp('the modem is being set up again'),
  })

  const ussd = openUssd({
    clock,
    stopping: stop.signal,
    channel: () => (profile ? channel : undefined),
    says: () => radio().says,
  })

  const restarts = openRestartOrder({
    clock,
    onAir: () => under_way,
    channel: () => channel,
    restart: restartOn,
    ready: watchers.ready,
    says: () => radio().says,
  })

  const running = keepOpen({
    clock,
    stopping: end.signal,
    open: () => openPort(silent),
    usePort,
    failed(error) {
      trouble = error.message
      // Another reason than a silent port: the next one is a new beginning.
      silent &&= error instanceof Trouble
      watchers.update()
    },
  })

  /** Runs until the port is no longer usable. */
  async function usePort(port: Duplex): Promise<void> {
    const opened = openChannel({
      port,
      clock,
      onUnsolicited: handleUnsolicited,
      ...(settings.gap_ms !== undefined && { gap_ms: settings.gap_ms }),
    })
    let gone: Error | undefined
    void opened.gone.then((error) => {
      gone = error
      if (channel === opened) channel = undefined
      requireSetUp(`the port is gone (${error.message})`)
    })
    channel = opened
    identity = undefined
    misses = 0
    requireSetUp(silent ? trouble : 'the modem is being set up')
    try {
      while (!gone && !end.signal.aborted) {
        const wait_ms = await runDueWork(opened)
        watchers.update()
        if (!gone) await sleepUntilWoken(wait_ms)
      }
    } finally {
      opened.close()
      signal = undefined
      watchers.update()
    }
  }

  /** Does the work that is due; resolves to the ms until the next work. */
  async function runDueWork(on: Channel): Promise<number> {
    const wait_ms = quiet_until - clock.uptime()
    if (wait_ms > 0) return wait_ms
    try {
      if (!profile) await prepare(on)
      if (!profile) return 0
      if (!(await watch.poll(on, profile))) requireSetUp('the modem has lost its settings')
      misses = 0
      return watch.next()
    } catch (error) {
      if (error instanceof Trouble) {
        silent = error.kind === 'silent'
        // The modem may have another port that answers.
        if (silent) throw error
        trouble = error.message
        if (signal || error.kind === 'no_sim') signal = noSignal(isoNow(clock))
        return error.again_ms ?? TROUBLE_AGAIN_MS
      }
      if (!(error instanceof AtError)) throw error
      if (error.reason === 'refused') {
        trouble = `the modem refuses what it must do (${error.message})`
        return REFUSED_AGAIN_MS
      }
      if (error.reason === 'timeout' && ++misses >= MOST_MISSES) {
        throw new Trouble(`the modem does not answer (${error.message}): its port is reopened`, 0)
      }
      return 0
    }
  }

  async function prepare(on: Channel): Promise<void> {
    const prepared = await setUp({ channel: on, clock, settings: { ...settings, smsc }, memory })
    if (prepared.iccid !== sim) {
      // Another SIM: the pauses and facts of the previous SIM no longer apply.
      identity = undefined
      pace.worked()
    }
    sim = prepared.iccid
    if (!identity) identity = await readIdentityFacts(on)
    else if (identity.number === null) identity = { ...identity, number: await readNumberFact(on) }
    signal = await readSignalFacts(on, isoNow(clock))
    // The modem may have restarted in the meantime.
    if (quiet_until > clock.uptime()) return
    profile = prepared
    silent = false
    power = undefined
    watch.afterSetUp()
    watchers.update()
  }

  function handleUnsolicited(unsolicited: Unsolicited): void {
    switch (unsolicited.kind) {
      case 'stored':
      case 'report_stored':
        if (profile && !profile.storages.includes(unsolicited.storage))
          profile.storages.push(unsolicited.storage)
        inbox.stored(unsolicited)
        watch.markDue('inbox')
        break
      case 'memory_full':
        inbox.full(unsolicited.storage)
        watch.markDue('inbox')
        break
      case 'message':
      case 'report':
        inbox.push(unsolicited.pdu)
        break
      case 'registration':
        watch.markDue('signal')
        break
      case 'sim_out':
        identity = undefined
        signal &&= noSignal(isoNow(clock))
        requireSetUp('the SIM was taken out')
        break
      case 'restarted':
        quiet_until = clock.uptime() + QUIET_MS
        requireSetUp('the modem is restarting')
        break
      case 'power_down':
        power = unsolicited.ordered
          ? `the modem was switched off (${unsolicited.line}): switch its power on again`
          : `the modem lost its power (${unsolicited.line}): check its power supply`
        requireSetUp(power)
        break
      case 'ussd':
        ussd.take(unsolicited)
        return
      case 'chatter':
        return
    }
    wake()
  }

  /** From now on the modem must be set up again before anything is sent. */
  function requireSetUp(why: string): void {
    profile = undefined
    trouble = why
    watchers.update()
    wake()
  }

  async function restart(): Promise<boolean> {
    const on = channel
    if (!on || clock.uptime() - restarted_at < RESTART_EVERY_MS) return false
    await restartOn(on)
    return true
  }

  async function restartOn(on: Channel): Promise<boolean> {
    restarted_at = clock.uptime()
    quiet_until = clock.uptime() + START_MS
    requireSetUp('the modem is being restarted')
    if (await restartModem(on)) return true
    quiet_until = 0
    wake()
    return false
  }

  async function sendOne(...[message, progress]: Parameters<Driver['send']>): ReturnType<Driver['send']> {
    const outcome = await send(message, progress)
    if (outcome.state === 'sent') last_sent_at = isoNow(clock)
    watchers.update()
    return outcome
  }

  return {
    name: `modem ${settings.port}`,
    get delivery_reports() {
      return profile?.reports ?? 'the modem is not set up yet'
    },
    radio,
    dial: ussd.dial,
    restart: restarts.restart,
    configure(changed) {
      own_number = changed['number']
      if (changed['smsc'] !== smsc) requireSetUp('the modem is set up with another SMS centre')
      smsc = changed['smsc']
      no_credit = codesOf(changed['no-credit'])
      keeper.changed()
    },
    send(...args) {
      const sent = restarts.open().then(() => sendOne(...args))
      under_way = sent
      return sent
    },
    // The watch keeps the signal fresh. Asking here could disturb a message that is being sent.
    telemetry: () => Promise.resolve(typeof signal?.signal === 'number' ? { signal_dbm: signal.signal } : {}),
    async networks() {
      if (channel && profile) {
        const fresh = readSignalFacts(channel, isoNow(clock)).then((facts) => void (signal = facts))
        // While a message is being sent the modem takes no other command.
        await within(
          clock,
          FRESH_MS,
          fresh.catch(() => {}),
        )
      }
      const known = identity && { iccid: sim, number: number() ?? null }
      return networksOf(known, signal)
    },
    async close() {
      stop.abort()
      await within(clock, CLOSING_MS, under_way)
      end.abort()
      channel?.close()
      await within(clock, LETTING_GO_MS, running)
    },
  }
}
