import { resolve } from 'node:path'
import { linkDevice, LinkedDevice, type LinkRequest } from '@sdd/contract/fleet/devices.ts'
import { ApiError } from '@sdd/contract/core/errors.ts'
import { Uid } from '@sdd/contract/core/fields.ts'
import { isoNow } from '#agent/clock.ts'
import { isUntrusted } from '#agent/device/faults.ts'
import { readTrust, type Trust } from '#agent/device/trust.ts'
import { openFolder } from '#agent/folder.ts'
import { type Command, DIR } from './command.ts'
import { chooseDriver, DRIVER, driverHelp } from './driver-choice.ts'
import { post } from './post.ts'
import { UsageError } from './usage-error.ts'

export const link: Command = {
  summary: 'links a device to the server, with a code from the console',
  positionals: [],
  takesDriver: true,
  options: {
    server: { value: 'URL', meaning: 'the address of the console: https://sms.example.org' },
    code: { value: 'CODE', meaning: "the code from 'Link device' in the console", secret: true },
    uid: { value: 'UID', meaning: "the device's name; the server chooses one by default" },
    location: { value: 'TEXT', meaning: 'its location, for the console' },
    mqtt: {
      value: 'URL',
      meaning: 'the broker address to use instead of the one from the server (wss://sms.example.org/mqtt)',
    },
    ca: {
      value: 'FILE',
      meaning: 'trust only the authority or server certificate in this PEM file; the file must stay there',
    },
    ...DRIVER,
    ...DIR,
  },
  details: (kinds) => [
    'The default driver is the modem on this machine, or in Termux the phone:',
    ...driverHelp(kinds),
  ],
  async run(world, { values }) {
    const { print, clock, config } = world
    const server_url = serverUrl(values['server'])
    const code = values['code']
    if (!code) throw new UsageError("--code is missing: press 'Link device' in the console to get one")
    const { uid, location } = values
    if (uid !== undefined) requireUid(uid)
    const mqtt_url = values['mqtt'] && brokerUrl(values['mqtt'])
    const ca_file = values['ca'] && resolve(values['ca'])
    const trust = readTrust(ca_file)
    const choice = await chooseDriver(world, values)
    const folder = openFolder(values['dir'] ?? config.folder)
    requireFree(folder.devices(), uid, choice.name, choice.settings)
    // Rewrites the file unchanged first, so that a code is not used up if the secret could not be stored.
    folder.forget('')

    const linked = await ask(server_url, { code, uid, location }, trust)
    if (!mqtt_url) refuseInTheClear(server_url, linked)
    folder.keep({
      ...linked,
      ...(mqtt_url && { mqtt_url }),
      ...(ca_file && { ca_file }),
      server_url,
      linked_at: isoNow(clock),
      driver: choice.name,
      settings: choice.settings,
    })
    print(`${linked.uid} is linked. Its secret is in ${folder.path}, which only you can read.`)
    print(`Check it with 'sdd-agent doctor'. Start or restart the agent with 'sdd-agent run'.`)
    return 0
  },
}

function serverUrl(given: string | undefined): string {
  if (!given)
    throw new UsageError('--server is missing: the address of the console, such as https://sms.example.org')
  const url = URL.parse(given)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin
  throw new UsageError(`--server ${given} is not an address: it must begin with http:// or https://`)
}

function brokerUrl(given: string): string {
  const known = ['mqtt:', 'mqtts:', 'ws:', 'wss:']
  if (known.includes(URL.parse(given)?.protocol ?? '')) return given
  throw new UsageError(
    `--mqtt ${given} is not a broker's address: it must begin with mqtt://, mqtts://, ws:// or wss://`,
  )
}

/**
 * A user who linked over TLS does not expect plain-text MQTT for the secret and the texts. `--mqtt` accepts it
 * explicitly.
 */
function refuseInTheClear(server_url: string, { uid, mqtt_url }: LinkedDevice): void {
  const by = new URL(mqtt_url).protocol
  if (!server_url.startsWith('https:') || by === 'mqtts:' || by === 'wss:') return
  const { host } = new URL(server_url)
  throw new Error(
    `${server_url} sends ${uid} to ${mqtt_url}, where its secret and all texts would be unencrypted: the device is not kept. ` +
      `Unlink ${uid} in the console and link it again with --mqtt wss://${host}/mqtt; or with --mqtt ${mqtt_url}, to accept that`,
  )
}

function requireUid(uid: string): void {
  const { error } = Uid.safeParse(uid)
  if (error) throw new UsageError(`--uid ${uid} ${error.issues[0]?.message}`)
}

function requireFree(
  devices: { uid: string; driver: string; settings: Readonly<Record<string, string>> }[],
  uid: string | undefined,
  driver: string,
  settings: Readonly<Record<string, string>>,
): void {
  if (devices.some((device) => device.uid === uid)) {
    throw new Error(
      `--uid ${uid} is linked already: choose another, or remove it first with 'sdd-agent forget ${uid}'`,
    )
  }
  const same = devices.find(
    (device) => device.driver === driver && JSON.stringify(device.settings) === JSON.stringify(settings),
  )
  if (same) throw new Error(`${same.uid} has this ${driver} already: 'sdd-agent forget ${same.uid}' frees it`)
}

/** Rejects with the server's own sentence, or with the reason for a missing answer. */
async function ask(server_url: string, request: LinkRequest, trust: Trust): Promise<LinkedDevice> {
  const url = new URL(linkDevice.path, server_url)
  const { status, answer } = await post(url, request, trust).catch((cause: Error) => {
    throw new Error(`--server ${server_url} cannot be reached (${reason(cause)})${remedy(cause)}`, { cause })
  })
  const linked = LinkedDevice.safeParse(answer)
  if (status === linkDevice.status && linked.success) return linked.data
  const refusal = ApiError.safeParse(answer)
  if (refusal.success) throw new Error(`The server refused: ${refusal.data.detail}`)
  throw new Error(`--server ${server_url} answers ${status}, but is not an SMS Drone Dash server`)
}

function reason(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message
}

function remedy({ code }: NodeJS.ErrnoException): string {
  return isUntrusted(code)
    ? ": its certificate is not trusted; name its authority's file with --ca"
    : ': is the address right?'
}
