import { randomUUID } from 'node:crypto'
import { PhoneNumber } from '@sdd/contract/core/fields.ts'
import { isoNow, sleep, within } from '#agent/clock.ts'
import { openDiskRetry } from '#agent/device/disk-retry.ts'
import { openKeeper } from '#agent/device/keeper.ts'
import type { Driver, Keeper, SendProgress } from '#agent/driver.ts'
import { type Folder, openFolder } from '#agent/folder.ts'
import { type Command, type CommandLine, DIR, type World } from './command.ts'
import { chooseDriver, DRIVER, driverHelp, type DriverChoice } from './driver-choice.ts'
import { aborted, holdFolder } from './run.ts'
import { UsageError } from './usage-error.ts'

/** How long to wait for the radio to be ready, and for the delivery report. */
const READY_WITHIN_MS = 60_000
const DELIVERED_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 500

export const send: Command = {
  summary: 'sends one SMS without the server, to test a modem or phone',
  positionals: ['NUMBER', 'TEXT'],
  takesDriver: true,
  options: {
    uid: { value: 'UID', meaning: 'the linked device that sends, if there are several' },
    ...DRIVER,
    ...DIR,
  },
  details: (kinds) => ['Without a linked device, choose the driver:', ...driverHelp(kinds)],
  async run(world, line) {
    const { print, clock, config } = world
    const [given = '', text = ''] = line.positionals
    const number = PhoneNumber.safeParse(given)
    if (!number.success) throw new UsageError(`NUMBER ${given} ${number.error.issues[0]?.message}`)
    if (text === '') throw new UsageError('TEXT is empty')
    const folder = openFolder(line.values['dir'] ?? config.folder)
    const chosen = await choose(world, folder, line)
    const release = await holdFolder(folder)
    const delivered = Promise.withResolvers<string>()
    const trial: Trial = { references: new Set(), sent: Promise.resolve() }
    const { keeper, close } = openTrial(world, folder, chosen.uid, trial, delivered.resolve)
    const { name, settings, since } = chosen
    const driver = await world.kinds[name]!.open({ settings, keeper, clock, say: print, since })
    try {
      if (!(await untilReady(world, driver))) return 1
      return await sendOne(world, driver, { to: number.data, text }, trial, delivered.promise)
    } finally {
      await driver.close()
      close()
      release()
    }
  },
}

type Chosen = Pick<DriverChoice, 'name' | 'settings'> & { uid: string | undefined; since: string }

/** The test message: the references of its parts, and its outcome while it is on air. */
type Trial = { references: Set<string>; sent: Promise<unknown> }

/** The driver from the options, or the linked device's driver. */
async function choose(world: World, folder: Folder, { values }: CommandLine): Promise<Chosen> {
  const { uid, dir: _, ...options } = values
  const devices = folder.devices()
  if (uid === undefined && (Object.keys(options).length > 0 || devices.length === 0)) {
    const { name, settings } = await chooseDriver(world, options)
    return { name, settings, uid: undefined, since: isoNow(world.clock) }
  }
  const [device, ...others] = uid === undefined ? devices : devices.filter((linked) => linked.uid === uid)
  if (!device) throw new UsageError(`--uid ${uid} is not linked here`)
  if (others.length > 0)
    throw new UsageError(`--uid is missing: ${devices.map((linked) => linked.uid).join(' or ')}`)
  if (!world.kinds[device.driver]) throw new Error(`This agent has no driver ${device.driver}`)
  return { name: device.driver, settings: device.settings, uid: device.uid, since: device.linked_at }
}

/**
 * For a linked device, SMS that arrive during the test are kept for the server. Otherwise they stay on the SIM, because
 * no server would get them.
 */
function openTrial(
  { openLedger, clock, print }: World,
  folder: Folder,
  uid: string | undefined,
  trial: Trial,
  delivered: (state: string) => void,
): { keeper: Keeper; close: () => void } {
  const tell: Keeper['delivery'] = ({ state, detail }) => {
    if (state !== 'trying') delivered(detail ? `${state}: ${detail}` : state)
    return Promise.resolve()
  }
  const changed = (): void => undefined
  if (uid === undefined) {
    const leave = () => Promise.reject(new Error('No device is linked: incoming SMS stay where they are'))
    const none = { typedSince: () => Promise.resolve(isoNow(clock)), typed: () => Promise.resolve() }
    return {
      keeper: { received: leave, receivedPart: leave, delivery: tell, changed, ...none },
      close: changed,
    }
  }
  const ledger = openLedger(folder.ledger_path)
  const diskRetry = openDiskRetry({ clock, say: print })
  const keeping = { ledger: ledger.device(uid), diskRetry, clock, kept: changed, changed }
  const keeper = openKeeper({ ...keeping, say: () => undefined })
  return {
    keeper: {
      ...keeper,
      async delivery(report) {
        await tell(report)
        // A report may arrive before the reference.
        await trial.sent
        // Otherwise it may belong to a message of the server. The keeper could take the test's for one to that number.
        if (!trial.references.has(report.reference)) await keeper.delivery(report)
      },
    },
    close() {
      diskRetry.stop()
      ledger.close()
    },
  }
}

async function untilReady({ clock, print, stop }: World, driver: Driver): Promise<boolean> {
  const until = clock.uptime() + READY_WITHIN_MS
  let printed = ''
  while (!driver.radio().ready && clock.uptime() < until && !stop.aborted) {
    const { says } = driver.radio()
    if (says !== printed) print(`${driver.name}: ${says}`)
    printed = says
    await sleep(clock, LOOK_EVERY_MS, stop)
  }
  const { ready, says } = driver.radio()
  if (says !== printed) print(`${driver.name}: ${says}`)
  if (!ready) print('Nothing was sent.')
  return ready
}

async function sendOne(
  { clock, print, stop }: World,
  driver: Driver,
  message: { to: string; text: string },
  trial: Trial,
  delivered: Promise<string>,
): Promise<number> {
  const progress: SendProgress = {
    onAir: () => Promise.resolve(),
    partSent({ n, of, reference }) {
      if (reference !== null) trial.references.add(reference)
      if (of > 1) print(`Part ${n} of ${of} is sent.`)
      return Promise.resolve()
    },
  }
  const sent = driver.send({ guid: `trial-${randomUUID()}`, attempt: 1, ...message }, progress)
  trial.sent = sent
  const outcome = await sent
  if (outcome.state === 'failed') {
    print(`Failed (${outcome.code}): ${outcome.detail}`)
    return 1
  }
  print(`Sent in ${outcome.parts} part${outcome.parts === 1 ? '' : 's'}.`)
  if (driver.delivery_reports !== true) {
    print(`Whether it arrives cannot be seen: ${driver.delivery_reports}.`)
    return 0
  }
  let state = 'no delivery report yet'
  await within(
    clock,
    DELIVERED_WITHIN_MS,
    Promise.race([delivered.then((end) => (state = end)), aborted(stop)]),
  )
  print(`${state[0]!.toUpperCase()}${state.slice(1)}.`)
  return 0
}
