import { statfsSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { type Account, connect } from '#agent/device/connection.ts'
import type { DeviceState } from '#agent/device/device.ts'
import type { DriverKinds } from '#agent/drivers.ts'
import { fault, type Finding, good, LEVEL_WORDS, note } from '#agent/findings.ts'
import { type Folder, type Membership, openFolder } from '#agent/folder.ts'
import { askStatus, type Status } from '#agent/status.ts'
import { VERSION } from '@sdd/contract/core/version.ts'
import { type Command, DIR, type World } from './command.ts'

export const doctor: Command = {
  summary: 'checks folder, server, modems and phones, and reports each fault with its remedy',
  positionals: [],
  takesDriver: false,
  options: DIR,
  async run(world, { values }) {
    const { print, kinds } = world
    const folder = openFolder(values['dir'] ?? world.config.folder)
    let faults = 0
    async function tell(title: string, findings: AsyncIterable<Finding> | Iterable<Finding>): Promise<void> {
      let began = false
      for await (const { level, says, remedy } of findings) {
        if (!began) print(title)
        began = true
        if (level === 'fault') faults++
        print(`  ${LEVEL_WORDS[level].padEnd(5)} ${says}`)
        if (remedy) print(`        ${remedy}`)
      }
    }

    const status = await askStatus(folder.socket_path)
    const devices = folder.devices()
    await tell(`sdd-agent ${VERSION}, folder ${folder.path}`, examineFolder(folder, devices, status))
    for (const device of devices) {
      const state = status?.devices.find(({ uid }) => uid === device.uid)
      const found = state ? examineState(state) : examineDevice(world, device)
      await tell(titleOf(device, kinds), found)
    }
    for (const [name, kind] of Object.entries(kinds)) {
      const taken = devices.filter(({ driver }) => driver === name).map(({ settings }) => settings)
      if (kind.survey) await tell('Other hardware on this machine', kind.survey(taken))
    }
    print(
      faults === 0
        ? 'Nothing is wrong.'
        : faults === 1
          ? 'One thing is wrong.'
          : `${faults} things are wrong.`,
    )
    return faults === 0 ? 0 : 1
  },
}

/** `office-1: modem, --port /dev/ttyUSB0, --pin hidden` */
function titleOf({ uid, driver, settings }: Membership, kinds: DriverKinds): string {
  const shown = Object.entries(settings).map(([option, value]) => {
    return `--${option} ${kinds[driver]?.options[option]?.secret ? 'hidden' : value}`
  })
  return [`${uid}: ${driver}`, ...shown].join(', ')
}

/** With less space the agent accepts no new work. */
const ROOM_MIB = 4
const LITTLE_ROOM_MIB = 100

function* examineFolder(
  folder: Folder,
  devices: readonly Membership[],
  status: Status | undefined,
): Iterable<Finding> {
  if (devices.length === 0) {
    yield fault('no device is linked', "Press 'Link device' in the console, then: sdd-agent link --help")
  }
  if (folder.exposed()) {
    yield fault('other users of this machine can read the secrets', `chmod 600 ${folder.path}/devices.json`)
  }
  const { bavail, bsize } = statfsSync(folder.path)
  const free_mib = Math.floor((bavail * bsize) / 1024 / 1024)
  if (free_mib < ROOM_MIB)
    yield fault(`the disk is full: ${free_mib} MiB are free`, 'Free some space: no new work is accepted.')
  else if (free_mib < LITTLE_ROOM_MIB)
    yield note(`only ${free_mib} MiB are free`, 'Free some space before it is full.')
  else yield good(`${free_mib} MiB are free`)
  if (status) yield good(`the agent runs (version ${status.version}, process ${status.pid})`)
  else if (devices.length > 0) yield note('the agent does not run', 'Start it: sdd-agent run')
}

/** The running agent holds the radio, so its reported state is the only source. */
function* examineState(state: DeviceState): Iterable<Finding> {
  const { connected, says, radio, networks, waiting, unreported, driver } = state
  yield connected ? good(says) : fault(`not connected: ${says}`, 'It tries again by itself.')
  const radio_says = `${driver}: ${radio.says}`
  yield radio.ready
    ? good(radio_says)
    : fault(radio_says, 'Until then messages wait, or go to other devices.')
  const { intensity, sims = [] } = networks?.mobile ?? {}
  if (intensity !== null && intensity !== undefined) yield good(`signal ${intensity}${unitOf(intensity)}`)
  for (const { operator_name, carrier, phone_number, roaming } of sims) {
    const operator = operator_name ?? carrier ?? 'unknown operator'
    yield good(`SIM: ${operator}${roaming ? ', roaming' : ''}, number ${phone_number ?? 'unknown'}`)
  }
  if (radio.last_sent_at) yield good(`last sent at ${radio.last_sent_at}`)
  if (waiting > 0) yield note(`${waiting} to send`)
  if (unreported > 0) yield note(`${unreported} to report to the server`)
}

async function* examineDevice(world: World, device: Membership): AsyncIterable<Finding> {
  yield await examineServer(world, device)
  const kind = world.kinds[device.driver]
  if (kind) yield* kind.examine(device.settings)
  else
    yield fault(
      `this agent has no driver ${device.driver}`,
      `Run 'sdd-agent forget ${device.uid}', then link it again.`,
    )
}

/** Connects as the device without publishing a status, so the server still considers it disconnected. */
async function examineServer({ clock }: Pick<World, 'clock'>, account: Account): Promise<Finding> {
  const ended = Promise.withResolvers<string>()
  const goodbye = { status: 'disconnected', session: randomUUID() } as const
  const connection = connect(account, goodbye, { command: () => false, ended: ended.resolve }, clock)
  const opened = await connection.opened.then(
    () => true,
    () => false,
  )
  await connection.leave()
  const { host } = new URL(account.mqtt_url)
  if (opened) return good(`the server at ${host} accepts it`)
  return fault(await ended.promise, 'Without the server nothing is sent; incoming SMS are kept.')
}

function unitOf(intensity: number | string): string {
  return typeof intensity === 'number' ? ' dBm' : ''
}
