import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import assert from 'node:assert/strict'
import { ConfigError, helpText, readConfig, settingRows } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'config-'))
after(() => rmSync(folder, { recursive: true }))

test('without any setting, the documented defaults apply', () => {
  assert.deepEqual(readConfig({ UNRELATED: 'x' }, folder), {
    HOST: '127.0.0.1',
    PORT: 8080,
    MQTT_PORT: 1883,
    DATA_DIR: join(folder, 'data'),
    ADMIN_USERNAME: 'superadmin',
    KANNEL_PORT: 'off',
    SMTP_PORT: 'off',
    SMPP_PORT: 'off',
    TWILIO: 'off',
    DOORS_RATE: 'off',
    MQTTS_PORT: 8883,
    CALLBACK_ADDRESSES: 'public',
    LEAST_FREE_MB: 256,
    BACKUP_EVERY_HOURS: 24,
    BACKUPS_KEPT: 7,
    DRAIN_SECS: 0,
    LOG_LEVEL: 'info',
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
    MQTT_AUTH: 'dynamic-security',
    MQTT_CA: undefined,
    TLS: undefined,
  })
})

test('each setting is read', () => {
  const config = readConfig(
    {
      HOST: '::1',
      PORT: '0',
      MQTT_PORT: 'off',
      MQTT_URL: 'mqtts://us:pass%20word@[::1]:8884',
      MQTT_PUBLIC_URL: 'wss://broker.example/mqtt',
      MQTT_AUTH: 'hook',
      MQTT_HOOK_SECRET: 'twenty characters or more',
      DATA_DIR: '/var/lib/sms',
      ADMIN_USERNAME: 'Núria',
      ADMIN_PASSWORD: 'ten tokens',
      KANNEL_PORT: '13013',
      SMTP_PORT: '0',
      SMPP_PORT: '2775',
      TWILIO: 'on',
      DOORS_RATE: '20',
      MQTTS_PORT: '65535',
      PROXIES: '10.0.0.0/8, ::1',
      CALLBACK_ADDRESSES: 'any',
      CALLBACK_HOSTS: 'hooks.example.com, *.example.org:8443',
      LEAST_FREE_MB: '1000',
      BACKUP_EVERY_HOURS: '0',
      BACKUPS_KEPT: '30',
      DRAIN_SECS: '6',
      LOG_LEVEL: 'debug',
      TZ: 'America/Bogota',
    },
    folder,
  )
  assert.deepEqual(config, {
    HOST: '::1',
    PORT: 0,
    MQTT_PORT: 'off',
    MQTT_URL: 'mqtts://us:pass%20word@[::1]:8884',
    MQTT_PUBLIC_URL: 'wss://broker.example/mqtt',
    MQTT_AUTH: 'hook',
    MQTT_HOOK_SECRET: 'twenty characters or more',
    DATA_DIR: '/var/lib/sms',
    ADMIN_USERNAME: 'Núria',
    ADMIN_PASSWORD: 'ten tokens',
    KANNEL_PORT: 13013,
    SMTP_PORT: 0,
    SMPP_PORT: 2775,
    TWILIO: 'on',
    DOORS_RATE: 20,
    MQTTS_PORT: 65535,
    PROXIES: ['10.0.0.0/8', '::1'],
    CALLBACK_ADDRESSES: 'any',
    CALLBACK_HOSTS: [
      { host: 'hooks.example.com', below: false, port: undefined },
      { host: 'example.org', below: true, port: 8443 },
    ],
    LEAST_FREE_MB: 1000,
    BACKUP_EVERY_HOURS: 0,
    BACKUPS_KEPT: 30,
    DRAIN_SECS: 6,
    LOG_LEVEL: 'debug',
    TZ: 'America/Bogota',
    MQTT_CA: undefined,
    TLS: undefined,
  })
})

test('a broker that asks over HTTP needs a secret', () => {
  const MQTT_URL = 'mqtt://broker'
  assert.throws(
    () => readConfig({ MQTT_URL, MQTT_AUTH: 'hook' }, folder),
    /^ConfigError: MQTT_HOOK_SECRET: is missing/,
  )
})

test('a user of a broker that asks over HTTP needs a password', () => {
  const hook = { MQTT_AUTH: 'hook', MQTT_HOOK_SECRET: 'twenty characters or more' }
  assert.throws(
    () => readConfig({ ...hook, MQTT_URL: 'mqtt://us@broker' }, folder),
    /^ConfigError: MQTT_URL: names a user without a password/,
  )
  readConfig({ ...hook, MQTT_URL: 'mqtt://broker' }, folder)
})

test('a mail server needs a sender', () => {
  const SMTP_URL = 'smtp://user:secret@mail.example:587'
  assert.throws(() => readConfig({ SMTP_URL }, folder), /^ConfigError: SMTP_FROM: is missing/)
  const SMTP_FROM = 'SMS alerts <alerts@fleet.example>'
  assert.equal(readConfig({ SMTP_URL, SMTP_FROM }, folder).SMTP_FROM, SMTP_FROM)
})

test('an empty value counts as unset', () => {
  const config = readConfig(
    { PORT: '', ADMIN_PASSWORD: '', DATABASE_URL: '', TLS_CERT_FILE: '', TZ: '' },
    folder,
  )
  assert.equal(config.PORT, 8080)
  assert.equal(config.ADMIN_PASSWORD, undefined)
})

test('a .env file in the working folder is read, and the environment overrides it', (t) => {
  writeFileSync(join(folder, '.env'), 'PORT=9001\nHOST=0.0.0.0\nLOG_LEVEL="warn" # quiet\n')
  t.after(() => rmSync(join(folder, '.env')))
  const config = readConfig({ HOST: '127.0.0.2', LOG_LEVEL: '' }, folder)
  assert.deepEqual([config.PORT, config.HOST, config.LOG_LEVEL], [9001, '127.0.0.2', 'info'])
})

const refused: [variable: string, value: string, allowed: RegExp][] = [
  ['HOST', 'two words', /address or a host name/],
  ['PORT', 'eighty', /0 to 65535/],
  ['PORT', '65536', /0 to 65535/],
  ['PORT', '-1', /0 to 65535/],
  ['PORT', '80.5', /0 to 65535/],
  ['MQTT_PORT', 'on', /0 to 65535.*off/],
  ['MQTT_PORT', '99999', /0 to 65535.*off/],
  ['MQTTS_PORT', 'off', /0 to 65535/],
  ['ADMIN_USERNAME', 'n'.repeat(101), /1 to 100 characters/],
  ['ADMIN_USERNAME', ' ', /1 to 100 characters/],
  ['ADMIN_USERNAME', 'an\u200Ba', /1 to 100 characters/],
  ['ADMIN_PASSWORD', 'short', /10 to 256 characters/],
  ['ADMIN_PASSWORD', 'l'.repeat(257), /10 to 256 characters/],
  ['PROXIES', '10.0.0.0/8, nginx', /addresses or networks/],
  ['CALLBACK_ADDRESSES', 'private', /must be public or any/],
  ['CALLBACK_HOSTS', 'https://hooks.example.com/', /must be hosts, such as/],
  ['LOG_LEVEL', 'loud\nand clear', /fatal, error, warn, info/],
  ['TZ', 'Mars/Olympus', /IANA time zone/],
  ['TLS_CERT_FILE', 'cert.pem', /TLS_KEY_FILE/],
  ['TLS_KEY_FILE', 'key.pem', /TLS_CERT_FILE/],
  ['DATABASE_URL', 'mysql://me:hidden@db/sms', /like postgres:/],
  ['DATABASE_URL', 'postgres://me:hidden@db1,,db2/sms', /host1:5432,host2:5432/],
  ['DATABASE_URL', 'postgres://db1,db2/sms?target_session_attrs=standby', /must be read-write/],
  ['MQTT_URL', 'http://me:hidden@broker', /mqtts:/],
  ['MQTT_URL', 'mqtt://me:hidden@broker/topic', /mqtts:/],
  ['MQTT_URL', 'mqtt://broker', /names no user/],
  ['MQTT_PUBLIC_URL', 'mqtt://me:hidden@broker', /without a user/],
  ['MQTT_CA_FILE', 'absent.pem', /absent.pem/],
  ['MQTT_AUTH', 'anonymous', /dynamic-security or hook/],
  ['MQTT_HOOK_SECRET', 'short', /20 to 256 characters/],
  ['SMTP_URL', 'mail.example', /smtp:\/\//],
  ['SMTP_FROM', 'nobody', /alerts@example.com/],
]

for (const [variable, value, allowed] of refused) {
  test(`${variable}=${JSON.stringify(value.slice(0, 30))} is refused in one line with the allowed values`, () => {
    const { message, variable: named } = refusal({ [variable]: value })
    assert.match(message, allowed)
    assert.match(message, new RegExp(variable))
    assert.match(named, /^[A-Z_]+$/)
    assert.doesNotMatch(message, /\n/)
  })
}

test('an error does not repeat a password', () => {
  assert.doesNotMatch(refusal({ ADMIN_PASSWORD: 'secret' }).message, /secret/)
  assert.doesNotMatch(refusal({ DATABASE_URL: 'mysql://me:hidden@db/sms' }).message, /hidden/)
})

test('a .env file that cannot be read is an error, not an absent file', (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'config-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  mkdirSync(join(cwd, '.env'))
  assert.throws(() => readConfig({}, cwd), { name: 'ConfigError', variable: '.env' })
})

test('certificate and key are read; the error for a missing, damaged or mismatched file names its setting', () => {
  const fixtures = join(import.meta.dirname, '../../test/fixtures')
  const [cert, key] = [join(fixtures, 'localhost-cert.pem'), join(fixtures, 'localhost-key.pem')]
  const otherKey = join(folder, 'other.pem')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(otherKey, privateKey.export({ type: 'pkcs8', format: 'pem' }))

  const { TLS } = readConfig({ TLS_CERT_FILE: 'localhost-cert.pem', TLS_KEY_FILE: key }, fixtures)
  assert.match(String(TLS?.cert), /BEGIN CERTIFICATE/)
  assert.match(String(TLS?.key), /BEGIN PRIVATE KEY/)

  assert.equal(refusal({ TLS_CERT_FILE: 'absent.pem', TLS_KEY_FILE: key }).variable, 'TLS_CERT_FILE')
  assert.equal(refusal({ TLS_CERT_FILE: cert, TLS_KEY_FILE: 'absent.pem' }).variable, 'TLS_KEY_FILE')
  assert.equal(refusal({ TLS_CERT_FILE: key, TLS_KEY_FILE: key }).variable, 'TLS_CERT_FILE')
  assert.equal(refusal({ TLS_CERT_FILE: cert, TLS_KEY_FILE: otherKey }).variable, 'TLS_KEY_FILE')
})

test('the help lists every setting with its default and its meaning, each on one line', () => {
  const lines = helpText().split('\n')
  for (const { name, fallback, meaning } of settingRows()) {
    assert.notEqual(meaning, '', `${name} has a meaning`)
    const row = lines.find((line) => line.trim().startsWith(`${name} `))
    assert.ok(row?.includes(fallback) && row.includes(meaning), `${name} is in the help`)
  }
})

function refusal(env: Record<string, string>): ConfigError {
  try {
    readConfig(env, folder)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error
  }
  assert.fail(`${Object.keys(env).join()} was accepted`)
}
