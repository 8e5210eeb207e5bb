import type { DriverKind, Settings } from '#agent/drivers.ts'
import { fault, type Finding, good, note } from '#agent/findings.ts'
import { openApi } from './api.ts'
import { openGatewayDriver } from './gateway.ts'

/** The port for webhooks, unless the URL names another. */
const WEBHOOK_PORT = 8_765

export const gatewayKind: DriverKind = {
  summary: 'a phone with the app SMS Gateway for Android, in its Local Server mode',
  options: {
    url: { value: 'URL', meaning: "the app's local address: http://192.168.1.20:8080" },
    username: { value: 'NAME', meaning: 'as the app shows it under Local Server' },
    password: { value: 'PASSWORD', meaning: 'as the app shows it under Local Server', secret: true },
    sim: { value: 'NUMBER', meaning: 'the SIM, 1 to 3; the app chooses by default', byOrder: true },
    webhook: {
      value: 'URL',
      meaning: `the URL at which the phone reaches port ${WEBHOOK_PORT} of this machine: https://…, or http://127.0.0.1:${WEBHOOK_PORT} on the phone itself`,
    },
  },
  check(settings) {
    return new Promise((resolve) => {
      requireAddress('url', settings['url'], ['http:', 'https:'])
      for (const name of ['username', 'password']) {
        if (!settings[name]) throw new Error(`--${name} is missing: the app shows it under Local Server`)
      }
      if (settings['sim'] !== undefined && !/^[123]$/.test(settings['sim'])) {
        throw new Error(`--sim ${settings['sim']} is not a SIM: use 1, 2 or 3`)
      }
      if (settings['webhook'] !== undefined) requireWebhook(settings['webhook'])
      resolve(settings)
    })
  },
  open({ settings, ...needs }) {
    const { url = '', sim, webhook } = settings
    return Promise.resolve(
      openGatewayDriver({
        ...needs,
        api: apiOf(settings),
        where: new URL(url).host,
        simNumber: sim === undefined ? undefined : Number(sim),
        webhook: webhook === undefined ? undefined : { url: webhook, port: portOf(webhook) },
      }),
    )
  },
  examine,
}

async function* examine(settings: Settings): AsyncIterable<Finding> {
  const api = apiOf(settings)
  const model = await api.hello().catch((error: Error) => error)
  if (model instanceof Error) {
    yield fault(
      model.message,
      'Open the app, switch Local Server on, press the button at the bottom until it says Online.',
    )
    return
  }
  yield good(`${model} answers`)
  const sims = await api.sims()
  if (sims.length === 0)
    yield note('the app reports no SIM', 'Update the app, and grant it the phone permission.')
  for (const { simNumber, carrierName, phoneNumber } of sims) {
    yield good(`SIM ${simNumber}: ${carrierName || 'operator unknown'}, number ${phoneNumber || 'unknown'}`)
  }
  const listed = await api.inbox(new Date(0).toISOString(), 1, 0).catch((error: Error) => error)
  if (listed instanceof Error || (listed === undefined && !settings['webhook'])) {
    const why = listed instanceof Error ? listed.message : 'this version of the app does not list them'
    yield fault(
      `received SMS cannot be read: ${why}`,
      'Update the app, or link the phone again with --webhook.',
    )
  } else yield good('received SMS can be read')
  yield note('the app does not report signal, network type or WiFi')
}

function apiOf({ url = '', username = '', password = '' }: Settings) {
  return openApi(url, username, password)
}

function requireAddress(option: string, given: string | undefined, schemes: string[]): URL {
  if (!given) throw new Error(`--${option} is missing: the app shows its address under Local Server`)
  const url = URL.parse(given)
  if (url && schemes.includes(url.protocol)) return url
  throw new Error(
    `--${option} ${given} is not an address: it must begin with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  )
}

/** The app refuses other addresses: without TLS it calls only itself. */
function requireWebhook(given: string): void {
  const url = requireAddress('webhook', given, ['http:', 'https:'])
  if (url.protocol === 'https:' || url.hostname === '127.0.0.1') return
  throw new Error(`--webhook ${given} is refused by the app: it must begin with https:// or http://127.0.0.1`)
}

function portOf(webhook: string): number {
  const { protocol, port } = new URL(webhook)
  return protocol === 'http:' && port ? Number(port) : WEBHOOK_PORT
}
