import { parseArgs } from 'node:util'
import { type Behaviour, USUAL_BEHAVIOUR } from '#simulator/behaviour.ts'
import type { Expectations } from '#simulator/breaches.ts'
import { type Faults, NO_FAULTS } from '#simulator/faults.ts'
import type { Range } from '#simulator/random.ts'

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

/** Each option of the command line: its default as a text, and what it means. */
const general = {
  server: ['http://127.0.0.1:8080', 'where the server answers HTTP'],
  mqtt: [
    '',
    'mqtt://host:port (or mqtts, ws, wss), where it is not the one that the server gave when linking',
  ],
  ca: ['', "PEM file of the authority of the server's certificate, or that certificate: trusted too"],
  code: ['', 'link code with which new devices join'],
  token: ['', 'access token of an admin, to make a link code with'],
  devices: ['12', 'how many devices'],
  prefix: ['sim-', 'of their uids: sim-0001, sim-0002, …'],
  accounts: ['./data/simulator/accounts.jsonl', 'file with their uids and secrets, used again at a restart'],
  ledger: ['./data/simulator/ledger.jsonl', 'file with all that the devices must not forget'],
  seed: ['fleet', 'the same seed makes the same choices'],
  'duration-secs': ['0', 'stop after so long; 0: until Ctrl-C'],
  'spoof-time-secs': ['', 'as set on the server: checked'],
  'max-sms-dayly': ['', 'as set on the server: checked'],
} as const

const meanings: Record<keyof Behaviour | keyof Faults, string> = {
  send_ms: 'radio time of one SMS part',
  delivery_ms: 'from sent to the delivery report',
  reply_ms: 'from the delivery report to the reply',
  failing: 'share of messages that fail and may be tried again',
  blocked: 'share that fails for good',
  unanswered: 'share that the modem leaves without an answer',
  undelivered: 'share of those sent that is not delivered',
  unreported: 'share of those sent without a delivery report',
  replying: 'share of those delivered that is replied to',
  stopping: 'share of the replies that ask for no more',
  wobble_secs: 'mean time between changes of signal; 0: never',
  reconnect_ms: 'back-off between tries to connect',
  drop_puback: "chance that a command's PUBACK is never sent",
  drop_report: 'chance that a report is held back until the next connection',
  delay_report: 'chance that a report is delayed',
  delay_ms: 'by how much',
  repeat_report: 'chance that reports are published twice',
  reorder_report: 'chance that a report is overtaken by a later one',
  crash_every_secs: 'mean time between losses of memory, each device; 0: never',
  cut_every_secs: 'mean time between losses of connection',
  vanish_every_secs: 'mean time between losses that the server does not hear of',
  leave_every_secs: 'mean time between clean goodbyes',
  stall_every_secs: 'mean time between pauses in reading',
  stall_ms: 'how long such a pause is',
  away_ms: 'how long a device stays away after a crash or a goodbye',
}

/** The options of a command line. Throws an Error that names the option that cannot be used. */
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
    'Devices that keep the device protocol, as many as you like, in one process.',
    '',
    ...Object.entries(general).map(([name, [usual, meaning]]) => line(name, usual, meaning)),
    '',
    'How the devices and the network behave, and what goes wrong (chances and shares are 0 to 1):',
    ...tunable,
    '',
  ].join('\n')
}

function line(name: string, usual: string, meaning: string): string {
  return `  --${name.padEnd(18)} ${meaning}${usual && ` (${usual})`}`
}

function flagOf(name: string): string {
  return name.replaceAll('_', '-')
}

/** The usual values, with those given on the command line in their place. */
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
