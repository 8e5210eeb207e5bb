import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { parseEnv } from 'node:util'
import { Name } from '@sdd/contract/core/fields.ts'
import * as z from 'zod'
import { isAddressOrNetwork } from './address.ts'
import { addressParts } from '@sdd/mqtt/external/address.ts'
import { externalBroker } from './external-broker.ts'
import { hostList } from './hosts.ts'
import { urlsOf } from '@sdd/storage/postgres/url.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Each setting under its own name, parsed. Folders are absolute, and the certificate files have been read. */
export type Config = Readonly<
  Omit<z.output<typeof Settings>, 'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'MQTT_CA_FILE'>
> & {
  readonly TLS: (Certificate & CertificateFiles) | undefined
  /** The certificates of the authorities trusted for the broker of `MQTT_URL`, in PEM. */
  readonly MQTT_CA: Buffer | undefined
}

/** In PEM. */
export type Certificate = { readonly cert: Buffer; readonly key: Buffer }
/** Absolute paths. */
export type CertificateFiles = { readonly cert_file: string; readonly key_file: string }

/** A setting that cannot be used. The message is one line: the setting, the fault, and the allowed values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly variable: string

  constructor(variable: string, why: string) {
    super(`${variable}: ${why.replaceAll(/\s+/g, ' ')}`)
    this.variable = variable
  }
}

/**
 * The settings in `env` and in the file `.env` of the folder `cwd`, if there is one. `env` wins, and an empty value
 * counts as unset. Throws `ConfigError` for the first setting that cannot be used.
 */
export function readConfig(env: Environment = process.env, cwd: string = process.cwd()): Config {
  const { TLS_CERT_FILE, TLS_KEY_FILE, MQTT_CA_FILE, ...settings } = parseSettings(readGiven(env, cwd))
  checkBroker(settings)
  checkDatabase(settings)
  checkMail(settings)
  return {
    ...settings,
    DATA_DIR: resolve(cwd, settings.DATA_DIR),
    TLS: readCertificate(cwd, TLS_CERT_FILE, TLS_KEY_FILE),
    MQTT_CA: readAuthority(cwd, MQTT_CA_FILE),
  }
}

/** Whether the environment or `.env` names the setting, so that it does not have its default. */
export function isGiven(name: keyof Config): boolean {
  return name in readGiven(process.env, process.cwd())
}

/**
 * The command line of a program of the server, with these arguments, in the way in which this one was called: by the
 * command of the Debian package, by npm, or by its path.
 */
export function commandLine(
  program: 'backup' | 'restore' | 'move-database' | 'new-password',
  args = '',
): string {
  const { SDD_COMMAND, npm_lifecycle_event } = process.env
  const path = process.argv[1] ?? ''
  if (SDD_COMMAND) return `${SDD_COMMAND} ${program} ${args}`.trim()
  if (npm_lifecycle_event === basename(path, '.ts'))
    return `npm run ${program} ${args && `-- ${args}`}`.trim()
  const other = relative(process.cwd(), join(dirname(path), `${program}.ts`))
  return `${process.argv0} ${other} ${args}`.trim()
}

function readGiven(env: Environment, cwd: string): Environment {
  const all = Object.entries({ ...readEnvFile(cwd), ...env })
  return Object.fromEntries(all.filter(([, value]) => value !== ''))
}

/** One row of the settings table. */
type SettingRow = { name: string; fallback: string; meaning: string }

/** Every setting, in the order of the help and of docs/configuration.md. */
export function settingRows(): SettingRow[] {
  return Object.entries(Settings.shape).map(([name, schema]) => {
    const { description = '', unset } = (schema.meta() ?? {}) as { description?: string; unset?: string }
    const fallback =
      schema instanceof z.ZodDefault ? `${schema.def.defaultValue as string | number}` : 'unset'
    return { name, fallback: unset ?? fallback, meaning: description }
  })
}

/** What `--help` prints. */
export function helpText(): string {
  const rows = [{ name: 'VARIABLE', fallback: 'DEFAULT', meaning: 'MEANING' }, ...settingRows()]
  const names = Math.max(...rows.map(({ name }) => name.length))
  const fallbacks = Math.max(...rows.map(({ fallback }) => fallback.length))
  return [
    'SMS Drone Dash: the console, its API, and the broker of the devices, in one process.',
    '',
    'Settings are read from the environment, and from .env in the working folder if there is one;',
    'the environment wins, and an empty value counts as unset.',
    '',
    ...rows.map((row) => `  ${row.name.padEnd(names)}  ${row.fallback.padEnd(fallbacks)}  ${row.meaning}`),
    '',
  ].join('\n')
}

const PORT_NUMBER = 'must be a whole number, 0 to 65535 (0 = any free port)'
const PORT_OR_OFF = `${PORT_NUMBER}, or off`
const WHICH_PROXIES = 'must be IP addresses or networks, such as 127.0.0.1 or 10.0.0.0/8, separated by commas'
const DOOR = 'port of the door for programs'
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** In the order of the help. `unset` describes the default of a setting without a fixed one. */
const Settings = z.object({
  HOST: z
    .string()
    .regex(/^[^\s/@]+$/, 'must be an address or a host name, such as 127.0.0.1 or 0.0.0.0')
    .default('127.0.0.1')
    .meta({ description: 'address the HTTP and MQTT listeners bind' }),
  PORT: portNumber(PORT_NUMBER).default(8080).meta({
    description: 'HTTP: console, /api, WebSocket /mqtt, /healthz, /readyz, /metrics; 0 = any free port',
  }),
  MQTT_PORT: z
    .union([z.literal('off'), portNumber(PORT_OR_OFF)], PORT_OR_OFF)
    .default(1883)
    .meta({
      description: 'MQTT over TCP for devices; 0 = any free port, off = none',
    }),
  DATA_DIR: z.string().default('./data').meta({
    description: 'folder of the embedded database; created if missing, mode 0700',
  }),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/, 'must be like postgres://user:password@host:5432/database')
    .optional()
    .meta({
      description:
        'PostgreSQL (15 or newer) in place of the embedded database: postgres://user:password@host/database; host1:5432,host2:5432 for a primary and its standbys',
    }),
  ...externalBroker,
  ADMIN_USERNAME: z
    .string()
    .trim()
    .refine(
      (name) => Name.safeParse(name).success,
      'must have 1 to 100 characters, without any that cannot be seen',
    )
    .default('superadmin')
    .meta({ description: 'name of the first superadmin, made only when the database has no user' }),
  ADMIN_PASSWORD: z
    .string()
    .min(10, 'must have 10 to 256 characters')
    .max(256, 'must have 10 to 256 characters')
    .optional()
    .meta({
      description: 'its password, 10 to 256 characters; a generated one is printed once',
      unset: 'generated',
    }),
  TLS_CERT_FILE: z.string().optional().meta({
    description:
      'certificate chain in PEM: serve HTTPS and WSS, and MQTTS on MQTTS_PORT; a renewed one is loaded automatically',
  }),
  TLS_KEY_FILE: z.string().optional().meta({ description: 'its private key in PEM' }),
  KANNEL_PORT: doorPort().meta({
    description: `${DOOR} that speak Kannel's HTTP interface (/cgi-bin/sendsms)`,
  }),
  SMTP_PORT: doorPort().meta({ description: `${DOOR} that send e-mail: to <number>@anything, with AUTH` }),
  SMTP_URL: z
    .string()
    .regex(
      /^smtps?:\/\/[^\s/]+\/?$/,
      'must be like smtp://user:password@host:587 or smtps://user:password@host:465',
    )
    .optional()
    .meta({ description: 'mail server for e-mail about alerts: smtp://user:password@host:587 or smtps://…' }),
  SMTP_FROM: z
    .string()
    .max(200, 'must have 3 to 200 characters')
    .regex(
      /^([^\r\n<>"]+<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
      'must be like alerts@example.com or SMS alerts <alerts@example.com>',
    )
    .optional()
    .meta({ description: 'its sender, needed with SMTP_URL: alerts@example.com' }),
  SMPP_PORT: doorPort().meta({ description: `${DOOR} that speak SMPP 3.4` }),
  TWILIO: z.enum(['off', 'on'], 'must be off or on').default('off').meta({
    description: 'door for programs that speak the messages API of Twilio, on PORT under /2010-04-01',
  }),
  DOORS_RATE: z
    .union([z.literal('off'), wholeNumber(1, 100_000)], 'must be a whole number, 1 to 100000, or off')
    .default('off')
    .meta({
      description: 'messages a second that one API key may hand in through all doors of a server together',
    }),
  MQTTS_PORT: portNumber(PORT_NUMBER).default(8883).meta({
    description: 'MQTT over TLS for devices, if there is a certificate; 0 = any free port',
  }),
  PROXIES: z
    .string()
    .transform((text) => text.split(',').map((entry) => entry.trim()))
    .refine((entries) => entries.every(isAddressOrNetwork), WHICH_PROXIES)
    .optional()
    .meta({
      description:
        'proxies in front, whose `X-Forwarded-For` is trusted: addresses or networks (10.0.0.0/8), separated by commas',
    }),
  CALLBACK_ADDRESSES: z.enum(['public', 'any'], 'must be public or any').default('public').meta({
    description: 'where callbacks may go: public, or any, which adds private and loopback addresses',
  }),
  CALLBACK_HOSTS: hostList('the only hosts that callbacks may go to'),
  LEAST_FREE_MB: wholeNumber(0, 100_000_000).default(256).meta({
    description:
      'free space on the disk of DATA_DIR, in MB, below which new messages and tasks are refused; 0 = no limit',
  }),
  BACKUP_EVERY_HOURS: wholeNumber(0, 8_760).default(24).meta({
    description: 'hours between backups of the database into DATA_DIR/backups; 0 = no backups',
  }),
  BACKUPS_KEPT: wholeNumber(1, 10_000).default(7).meta({ description: 'how many of these backups are kept' }),
  DRAIN_SECS: wholeNumber(0, 300).default(0).meta({
    description:
      'seconds that the server keeps serving after the signal to stop, while `/readyz` is 503: the time that the load balancer in front needs to notice',
  }),
  LOG_LEVEL: z
    .enum(LEVELS, `must be one of ${LEVELS.join(', ')}`)
    .default('info')
    .meta({ description: `lowest level of the log on stdout: ${LEVELS.join(', ')}` }),
  TZ: z
    .string()
    .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Madrid')
    .default(() => Temporal.Now.timeZoneId())
    .meta({ description: 'time zone of the days for the daily limit', unset: "the machine's" }),
})

/** Their values are not repeated in an error. */
const SECRETS = new Set([
  'ADMIN_PASSWORD',
  'DATABASE_URL',
  'MQTT_URL',
  'MQTT_PUBLIC_URL',
  'MQTT_HOOK_SECRET',
  'SMTP_URL',
])

function parseSettings(given: Environment): z.output<typeof Settings> {
  const parsed = Settings.safeParse(given)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  const variable = String(path[0])
  const value = SECRETS.has(variable) ? 'its value' : JSON.stringify(given[variable]?.slice(0, 80))
  throw new ConfigError(variable, `${value} cannot be used; it ${message}`)
}

function portNumber(why: string) {
  return z
    .string()
    .regex(/^\d{1,5}$/, { error: why, abort: true })
    .transform(Number)
    .refine((number) => number <= 65_535, why)
}

/** A door is closed until its port is set. */
function doorPort() {
  return z.union([z.literal('off'), portNumber(PORT_OR_OFF)], PORT_OR_OFF).default('off')
}

function wholeNumber(least: number, most: number) {
  const why = `must be a whole number, ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: why, abort: true })
    .transform(Number)
    .refine((number) => number >= least && number <= most, why)
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

function readEnvFile(cwd: string): Environment {
  try {
    return parseEnv(readFileSync(resolve(cwd, '.env'), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new ConfigError(
      '.env',
      `the file cannot be read (${(error as Error).message}); make it readable or remove it`,
    )
  }
}

function checkDatabase({ DATABASE_URL }: Partial<z.output<typeof Settings>>): void {
  if (DATABASE_URL === undefined) return
  try {
    urlsOf(DATABASE_URL)
  } catch (error) {
    throw new ConfigError('DATABASE_URL', (error as Error).message)
  }
}

function checkMail({ SMTP_URL, SMTP_FROM }: Partial<z.output<typeof Settings>>): void {
  if (SMTP_URL === undefined) return
  if (!URL.canParse(SMTP_URL)) throw new ConfigError('SMTP_URL', 'its value cannot be used; it is no URL')
  if (SMTP_FROM === undefined)
    throw new ConfigError('SMTP_FROM', 'is missing; SMTP_URL is set, and e-mail needs a sender')
}

function checkBroker({ MQTT_URL, MQTT_AUTH, MQTT_HOOK_SECRET }: Partial<z.output<typeof Settings>>): void {
  if (MQTT_URL === undefined) return
  if (MQTT_AUTH === 'hook' && MQTT_HOOK_SECRET === undefined)
    throw new ConfigError(
      'MQTT_HOOK_SECRET',
      'is missing; with MQTT_AUTH=hook the broker needs it to call this server',
    )
  const { username, password } = addressParts(MQTT_URL)!
  if (MQTT_AUTH === 'hook' && username !== undefined && password === undefined)
    throw new ConfigError(
      'MQTT_URL',
      'names a user without a password; with MQTT_AUTH=hook anybody could connect as that user',
    )
  if (MQTT_AUTH === 'dynamic-security' && username === undefined)
    throw new ConfigError(
      'MQTT_URL',
      'names no user; with MQTT_AUTH=dynamic-security it must name one that administers the broker',
    )
}

function readAuthority(cwd: string, file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined
  const ca = readPem('MQTT_CA_FILE', resolve(cwd, file))
  try {
    return createSecureContext({ ca }) && ca
  } catch (error) {
    throw new ConfigError(
      'MQTT_CA_FILE',
      `the file cannot be used (${(error as Error).message}); it must hold certificates in PEM`,
    )
  }
}

function readCertificate(cwd: string, certFile?: string, keyFile?: string): Config['TLS'] {
  if (!certFile && !keyFile) return undefined
  if (!certFile) throw new ConfigError('TLS_CERT_FILE', 'is missing; TLS_KEY_FILE is set, and it needs both')
  if (!keyFile) throw new ConfigError('TLS_KEY_FILE', 'is missing; TLS_CERT_FILE is set, and it needs both')
  const [cert_file, key_file] = [resolve(cwd, certFile), resolve(cwd, keyFile)]
  const cert = readPem('TLS_CERT_FILE', cert_file)
  const key = readPem('TLS_KEY_FILE', key_file)
  checkCertificate({ cert, key })
  return { cert, key, cert_file, key_file }
}

/** Throws a `ConfigError` if the certificate or the key cannot be used, or if they do not match. */
export function checkCertificate({ cert, key }: Certificate): void {
  checkPem('TLS_CERT_FILE', 'a certificate', { cert })
  checkPem('TLS_KEY_FILE', 'the unencrypted private key of the certificate', { cert, key })
}

function readPem(variable: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new ConfigError(
      variable,
      `${path} cannot be read (${(error as Error).message}); it must be a readable file`,
    )
  }
}

function checkPem(variable: string, what: string, pem: Partial<Certificate>): void {
  try {
    createSecureContext(pem)
  } catch (error) {
    throw new ConfigError(
      variable,
      `the file cannot be used (${(error as Error).message}); it must hold ${what} in PEM`,
    )
  }
}
