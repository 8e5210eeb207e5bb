import { randomUUID } from 'node:crypto'
import { deviceStatus, type OrderCommand, type Presence } from '@sdd/contract/fleet/device-protocol.ts'
import type { Networks } from '@sdd/contract/fleet/devices.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { type Clock, isoNow, sleep, within } from '#agent/clock.ts'
import type { Done, Driver, Keeper } from '#agent/driver.ts'
import type { DeviceLedger } from '#agent/ledger/ledger.ts'
import { fault, type Finding, good, note } from '#agent/findings.ts'
import type { Say } from '#agent/say.ts'
import { VERSION } from '@sdd/contract/core/version.ts'
import { openAnswers } from './answers.ts'
import { takeCommands } from './commands.ts'
import { openBackoff } from './backoff.ts'
import { type Account, connect, type Connection } from './connection.ts'
import { openKeeper, watchParts } from './keeper.ts'
import { abilitiesOf, answerOrder } from './orders.ts'
import type { RecentLines } from './recent-lines.ts'
import { openOutbox } from './outbox.ts'
import type { DiskRetry } from './disk-retry.ts'
import { startRadio } from './radio.ts'
import { openSnapshots } from './snapshots.ts'
import { startTelemetry } from './telemetry.ts'

export type Device = {
  state: () => DeviceState
  /** Accepts nothing more, reports `disconnected`, lets the message on air finish, and ends. */
  stop: () => Promise<void>
}

/** The state of a device, for `doctor`. */
export type DeviceState = {
  uid: string
  driver: string
  connected: boolean
  /** The state of the connection in one sentence. */
  says: string
  radio: { ready: boolean; says: string; last_sent_at: string | null }
  networks: Networks | undefined
  waiting: number
  unreported: number
}

type DeviceNeeds = {
  account: Account
  /** Opens its driver, which hands everything it receives to the keeper. */
  openDriver: (keeper: Keeper) => Promise<Driver>
  ledger: DeviceLedger
  diskRetry: DiskRetry
  clock: Clock
  random: () => number
  say: Say
  /** The last lines of its log. */
  last: RecentLines['last']
  /** Changes settings of the device, as an order wants. */
  configure: (driver: Driver, wanted: unknown) => Promise<Done>
  /** The agent's folder, for the free space of its disk. */
  folder: string | undefined
}

/** Time limits of a stop: for the message on air, for closing the driver, and for the last reports. */
const ON_AIR_MS = 60_000
const CLOSING_MS = 10_000
const GOODBYE_MS = 3_000

/** One device from the start of the agent to its stop. Its persistent state is in the ledger. */
export async function startDevice(needs: DeviceNeeds): Promise<Device> {
  const { account, ledger, diskRetry, clock, say } = needs
  const { uid, acks } = account
  const status = topicOf(deviceStatus, { uid })
  const answers = openAnswers(uid)
  const backoff = openBackoff(needs.random)
  const stopping = new AbortController()
  let connection: Connection | undefined
  /** The session of the connection on which `connected` was published. */
  let session: string | undefined
  let says = 'not connected yet'
  let logged_radio = ''
  let reports_logged = false

  await recover()
  const outbox = openOutbox({ uid, acks, rows: ledger.outbox, diskRetry, clock })
  const keeping = { ledger, diskRetry, clock, say, kept: outbox.look }
  const opened = Promise.withResolvers<void>()
  const driver = await needs.openDriver(
    openKeeper({ ...keeping, changed: () => void opened.promise.then(changed) }),
  )
  const radio = startRadio({
    commands: ledger.commands,
    driver,
    diskRetry,
    clock,
    say,
    reported: outbox.look,
  })
  const snapshots = openSnapshots({ uid, driver, clock, say })
  const telemetry = startTelemetry({ uid, driver, clock, folder: needs.folder })
  const command = takeCommands({
    acks,
    ledger,
    diskRetry,
    clock,
    say,
    kept() {
      outbox.look()
      radio.look()
    },
    networks: snapshots.publish,
    order: obey,
    stopping: () => stopping.signal.aborted,
  })
  const stopWatchingParts = watchParts(keeping)
  opened.resolve()
  logRadio()
  radio.look()
  const connecting = stayConnected()

  async function recover(): Promise<void> {
    const entries = await diskRetry.untilStored(() => ledger.commands.recover(isoNow(clock)))
    for (const { guid, report } of entries) {
      say(`${guid} was on air when the agent ended: reported as ${report.code ?? report.state}`)
    }
  }

  function obey(command: OrderCommand): void {
    say(`order ${command.order}: ${command.what}`)
    const configure = (wanted: unknown): Promise<Done> => needs.configure(driver, wanted)
    answerOrder({ clock, last: needs.last, examine, driver, configure }, command).then(
      (answer) => {
        if (answer === undefined) return
        if (!answer.ok) say(`order ${answer.order} failed: ${answer.detail}`)
        answers.give(answer)
      },
      (error: Error) => say(`order ${command.order} failed: ${error.message}`),
    )
  }

  /** Its state, as `doctor` on the machine says it. */
  function examine(): Finding[] {
    const { ready, says } = driver.radio()
    const reports = driver.delivery_reports
    return [
      good(`agent ${VERSION}, ${driver.name}`),
      ready
        ? good(`ready: ${says}`)
        : fault(`not ready: ${says}`, 'Until then messages wait, or go to other devices.'),
      reports === true ? good('delivery reports arrive') : note(`no delivery reports: ${reports}`),
      good(`${ledger.commands.waiting()} messages wait, ${ledger.outbox.count()} reports are not confirmed`),
    ]
  }

  function changed(): void {
    snapshots.changed()
    logRadio()
    radio.look()
  }

  /** Logs each change of the radio; and once, when the radio is ready, that delivery reports are missing. */
  function logRadio(): void {
    if (stopping.signal.aborted) return
    const { ready, says } = driver.radio()
    if (says !== logged_radio) say(`${driver.name}: ${says}`)
    logged_radio = says
    if (!ready || reports_logged) return
    reports_logged = true
    if (driver.delivery_reports !== true) say(`no delivery reports: ${driver.delivery_reports}`)
  }

  async function stayConnected(): Promise<void> {
    while (!stopping.signal.aborted) {
      const why = await runConnection()
      if (stopping.signal.aborted) return
      const wait_ms = backoff.next()
      says = why
      say(`not connected: ${why}; trying again in ${Math.round(wait_ms / 1_000)} s`)
      await sleep(clock, wait_ms, stopping.signal)
    }
  }

  /** Runs one connection until it ends; resolves to the reason. */
  async function runConnection(): Promise<string> {
    const new_session = randomUUID()
    const ended = Promise.withResolvers<string>()
    const listeners = { command, ended: ended.resolve }
    const opening = connect(account, presence(new_session, 'disconnected'), listeners, clock)
    connection = opening
    const began = await opening.opened.then(
      () => greet(opening, new_session),
      () => undefined,
    )
    const why = await ended.promise
    connection = session = undefined
    outbox.closed()
    snapshots.closed()
    telemetry.closed()
    answers.closed()
    if (began !== undefined) backoff.held(clock.uptime() - began)
    return why
  }

  /**
   * Publishes the status first, after the SUBACK; nothing else is handed over before it. Resolves to the time of that.
   */
  async function greet(current: Connection, new_session: string): Promise<number> {
    session = new_session
    const greeting = current.publish(status, JSON.stringify(presence(new_session, 'connected')))
    outbox.opened(current)
    snapshots.opened(current)
    telemetry.opened(current)
    answers.opened(current)
    const greeted_at = clock.uptime()
    await greeting.then(
      () => {
        says = `connected to ${new URL(account.mqtt_url).host}`
        say(says)
      },
      () => undefined,
    )
    return greeted_at
  }

  function presence(session: string, state: Presence['status']): Presence {
    return { status: state, session, agent: `sdd-agent/${VERSION}`, abilities: abilitiesOf(driver) }
  }

  async function stop(): Promise<void> {
    stopping.abort()
    stopWatchingParts()
    snapshots.stop()
    telemetry.stop()
    if (session !== undefined) await within(clock, GOODBYE_MS, goodbye(session))
    await within(clock, ON_AIR_MS, radio.finish())
    await within(
      clock,
      CLOSING_MS,
      driver.close().catch((error: Error) => say(error.message)),
    )
    await within(clock, GOODBYE_MS, radio.finish().then(outbox.emptied))
    await connection?.leave()
    await within(clock, GOODBYE_MS, connecting)
  }

  async function goodbye(session: string): Promise<void> {
    await connection
      ?.publish(status, JSON.stringify(presence(session, 'disconnected')))
      .catch(() => undefined)
  }

  return {
    state: () => ({
      uid,
      driver: driver.name,
      connected: session !== undefined,
      says,
      radio: driver.radio(),
      networks: snapshots.last(),
      waiting: ledger.commands.waiting(),
      unreported: ledger.outbox.count(),
    }),
    stop,
  }
}
