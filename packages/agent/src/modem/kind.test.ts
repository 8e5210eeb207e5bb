import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '#agent/findings.ts'
import { openEmulator } from '#agent/emulator/emulator.ts'
import type { EmulatorOptions } from '#agent/emulator/options.ts'
import { openTime } from '#test/time.ts'
import { examineModem } from './doctor.ts'
import { modemKind, modemSettings } from './kind.ts'
import type { ModemSettings } from './settings.ts'

test('wrong options are refused by name', async () => {
  const port = '/dev/ttyUSB0'
  const wrong = { baud: 'fast', pin: '12', number: 'me', smsc: '+3460909090x', 'no-credit': '21,512' }
  for (const [option, value] of Object.entries(wrong)) {
    await assert.rejects(
      modemKind.check({ port, [option]: value }),
      new RegExp(`^Error: --${option} .* is not a`),
    )
  }
  const right = { port, baud: '9600', pin: '1234', number: '+34600111222', smsc: '+34609090909' }
  assert.deepEqual(await modemKind.check(right), right)
  assert.deepEqual(modemSettings(right), { ...right, baud: 9_600 })
  assert.deepEqual(modemSettings({ port, 'no-credit': '21,50' }), { port, no_credit: [21, 50] })
})

test('doctor finds a modem that is well', async () => {
  for (const alphabet of ['GSM', 'UCS2'] as const) {
    assert.deepEqual(await examined({ dialect: { alphabet } }), [
      'good: SMS Drone Dash Emulated modem answers, IMEI 356938035643809',
      'good: the SIM is ready, ICCID 8934071100000000019',
      'good: its number is +34600000001',
      'good: registered: home, Movistar',
      'good: signal -77 dBm',
      'good: SMS centre +34609090909',
    ])
  }
})

test('doctor finds faults of the SIM and the network, and tries no PIN', async () => {
  assert.match((await examined({ sim: { pin: '1234' } })).at(-1)!, /^fault: the SIM wants its PIN/)
  assert.match(
    (await examined({ sim: { pin: '1234' } }, { pin: '9999' })).at(-1)!,
    /^note: the SIM wants its PIN/,
  )
  assert.match((await examined({ sim: { pin: '1', pin_tries: 0 } })).at(-1)!, /^fault: .* PUK/)
  assert.match((await examined({ sim: { present: false } })).at(-1)!, /^fault: the SIM is not ready/)
  const ill = await examined({
    sim: { smsc: null, number: null },
    network: { registration: 3, signal: 2 },
    dialect: { cnmi_support: '(0-2),(0,1),(0),(0),(0)' },
  })
  assert.deepEqual(ill.slice(2), [
    'note: the SIM does not know its number',
    'fault: not registered: denied',
    'note: the signal is weak: -109 dBm',
    'fault: the SIM has no SMS centre number',
    'note: this modem passes no delivery reports on',
  ])
})

test('doctor reports a silent modem and a missing modem', async () => {
  const time = openTime()
  const emulator = openEmulator({ clock: time })
  emulator.hang()
  const needs = { clock: time, openPort: emulator.openPort, settings: {} }
  assert.match((await time.until(all(examineModem(needs))))[0]!, /^fault: the modem does not answer/)
  emulator.unplug()
  assert.match((await time.until(all(examineModem(needs))))[0]!, /^fault: ENOENT/)
})

async function examined(options: EmulatorOptions, settings: Partial<ModemSettings> = {}): Promise<string[]> {
  const time = openTime()
  const emulator = openEmulator({ clock: time, ...options })
  const findings = await time.until(all(examineModem({ clock: time, openPort: emulator.openPort, settings })))
  assert.ok(!emulator.heard().some((command) => command.startsWith('AT+CPIN=')))
  emulator.close()
  return findings
}

async function all(findings: AsyncIterable<Finding>): Promise<string[]> {
  const said: string[] = []
  for await (const { level, says } of findings) said.push(`${level}: ${says}`)
  return said
}
