import { parseArgs } from 'node:util'
import { type Behaviour, USUAL_BEHAVIOUR } from '#simulator/behaviour.ts'
import type { Expectations } from '#simulator/breaches.ts'
import { type Faults, NO_FAULTS } from '#simulator/faults.ts'
import type { Range } from '#simulator/random.ts'
import { TEST_NUMBERS } from '#simulator/test-numbers.ts'

export type Options = {
  server_url: string
  mqtt_url: string | undefined
  ca_file: string | undefined
  code: string | undefined
  token: string | undefined
  count: number
  prefix: string
  accounts_path: string
  ledger_path: string
  seed: string
  /** 0: until Ctrl-C. */
  duration_secs: number
  behaviour: Behaviour
  faults: Faults
  expectations: Partial<Expectations>
}

/** Each option of the command line: its default as a text, and its meaning. */
const general = {
  server: ['http://127.0.0.1:8080', 'the HTTP address of the server'],
  mqtt: ['', 'mqtt://host:port (or mqtts, ws, wss), to use instead of the address from the server'],
  ca: ['', "PEM file of the authority of the server's certificate, or that certificate: trusted too"],
  code: ['', 'link code for new devices'],
  token: ['', 'access token of an admin, to create a link code'],
  devices: ['12', 'how many devices'],
  prefix: ['sim-', 'prefix of their uids: sim-0001, sim-0002, …'],
  accounts: ['./data/simulator/accounts.jsonl', 'file with their uids and secrets, reused after a restart'],
  ledger: ['./data/simulator/ledger.jsonl', 'file with the persistent state of the devices'],
  seed: ['fleet', 'the same seed makes the same choices'],
  'duration-secs': ['0', 'stop after this many seconds; 0: run until Ctrl-C'],
  'spoof-time-secs': ['', 'as set on the server, to be checked'],
  'max-sms-dayly': ['', 'as set on the server, to be checked'],
} as const

const meanings: Record<keyof Behaviour | keyof Faults, string> = {
  send_ms: 'radio time of one SMS part',
  delivery_ms: 'from sent to the delivery report',
  reply_ms: 'from the delivery report to the reply',
  failing: 'share of messages that fail and may be retried',
  blocked: 'share that fails permanently',
  unanswered: 'share that the modem leaves without an answer',
  undelivered: 'share of sent messages that are not delivered',
  unreported: 'share of sent messages without a delivery report',
  replying: 'share of delivered messages that get a reply',
  stopping: 'share of the replies that ask to stop',
  wobble_secs: 'mean time between changes of signal; 0: never',
  reconnect_ms: 'backoff between connection attempts',
  drop_puback: "chance that a command's PUBACK is never sent",
  drop_report: 'chance that a report is held back until the next connection',
  delay_report: 'chance that a report is delayed',
  delay_ms: 'the length of that delay',
  repeat_report: 'chance that reports are published twice',
  reorder_report: 'chance that a report is overtaken by a later one',
  crash_every_secs: 'mean time between crashes of each device; 0: never',
  cut_every_secs: 'mean time between lost connections',
  vanish_every_secs: 'mean time between lost connections that the server does not notice',
  leave_every_secs: 'mean time between clean disconnects',
  stall_every_secs: 'mean time between pauses in reading',
  stall_ms: 'how long such a pause is',
  away_ms: 'how long a device stays away after a crash or a disconnect',
}

/** Reads the command line. Throws an Error that names the invalid option. */
export function readOptions(args: string[]): Options {
  const tunable = { ...USUAL_BEHAVIOUR, ...NO_FAULTS }
  const names = [...Object.keys(general), ...Object.keys(tunable).map(flagOf)]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ args, options, strict: true, allowPositionals: false })
  const textOf = (name: keyof typeof general) => values[name] ?? general[name][0]
  const countOf = (name: keyof typeof general) => number(name, textOf(name))

  return {
    server_url: textOf('server'),
    mqtt_url: textOf('mqtt') || undefined,
    ca_file: textOf('ca') || undefined,
    code: textOf('code') || undefined,
    token: textOf('token') || undefined,
    count: countOf('devices'),
    prefix: textOf('prefix'),
    accounts_path: textOf('accounts'),
    ledger_path: textOf('ledger'),
    seed: textOf('seed'),
    duration_secs: countOf('duration-secs'),
    behaviour: tuned(USUAL_BEHAVIOUR, values),
    faults: tuned(NO_FAULTS, values),
    expectations: {
      ...(values['spoof-time-secs'] && { spoof_time_secs: countOf('spoof-time-secs') }),
      ...(values['max-sms-dayly'] && { max_sms_dayly: countOf('max-sms-dayly') }),
    },
  }
}

export function usage(): string {
  const tunable = Object.entries({ ...USUAL_BEHAVIOUR, ...NO_FAULTS }).map(([name, usual]) => {
    const shown = Array.isArray(usual) ? usual.join('-') : String(usual)
    return line(flagOf(name), shown, meanings[name as keyof typeof meanings])
  })
  return [
    'node packages/simulator/src/main.ts [options]',
    '',
    'Any number of devices that follow the device protocol, in one process.',
    '',
    ...Object.entries(general).map(([name, [usual, meaning]]) => line(name, usual, meaning)),
    '',
    'Behaviour of the devices and the network, and their faults (chances and shares are 0 to 1):',
    ...tunable,
    '',
    'Messages for these numbers always end the same way, whatever the shares above:',
    ...Object.entries(TEST_NUMBERS).map(([number, { meaning }]) => `  ${number}  ${meaning}`),
    '',
  ].join('\n')
}

function line(name: string, usual: string, meaning: string): string {
  return `  --${name.padEnd(18)} ${meaning}${usual && ` (${usual})`}`
}

function flagOf(name: string): string {
  return name.replaceAll('_', '-')
}

/** The defaults, with the values from the command line. */
function tuned<T extends Behaviour | Faults>(usual: T, values: Record<string, string | undefined>): T {
  const given = Object.entries(usual).flatMap(([name, value]) => {
    const text = values[flagOf(name)]
    if (text === undefined) return []
    return [[name, Array.isArray(value) ? range(flagOf(name), text) : number(flagOf(name), text)]]
  })
  return { ...usual, ...Object.fromEntries(given) }
}

function number(name: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new Error(`--${name} must be a number, not ${text}`)
}

/** `200-5000`, or one number for both ends. */
function range(name: string, text: string): Range {
  const [, least, most = least] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? []
  if (least && Number(least) <= Number(most)) return [Number(least), Number(most)]
  throw new Error(`--${name} must be milliseconds such as 200-5000, not ${text}`)
}
