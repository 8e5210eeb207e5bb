import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '#agent/kinds.ts'
import { configure } from './configure.ts'

function begin(driver: keyof typeof kinds = 'modem') {
  const settings = { port: '/dev/ttyUSB0', number: '+34600111222' }
  const events: unknown[] = []
  const disk = { full: false }
  const ask = async (wanted: unknown) => {
    const needs = {
      kind: kinds[driver]!,
      driver: { configure: (changed: object) => void events.push(['used', changed]) },
      settings,
      keep(changes: object) {
        if (disk.full) throw new Error('The disk is full')
        events.push(['kept', changes])
      },
    }
    return (await configure(needs, wanted)).done
  }
  return { ask, events, disk }
}

test('settings are kept before they are used; null removes one', async () => {
  const { ask, events } = begin()
  assert.deepEqual(await ask({ smsc: '+34609090909', number: null }), {
    ok: true,
    output: 'smsc is now +34609090909\nnumber is removed',
  })
  assert.deepEqual(events, [
    ['kept', { smsc: '+34609090909', number: null }],
    ['used', { port: '/dev/ttyUSB0', smsc: '+34609090909' }],
  ])
})

test('a setting that an order cannot change is refused by name, and nothing is changed', async () => {
  const { ask, events } = begin()
  for (const wanted of [
    { port: '/dev/ttyUSB1', number: '5' },
    { pin: '1234' },
    { colour: 'red' },
    {},
    undefined,
  ]) {
    const done = await ask(wanted)
    assert.ok(!done.ok && done.code === 'unknown_setting')
    assert.match(done.detail, /An order can change: number, smsc, no-credit$/)
    for (const name of Object.keys(wanted ?? {}).filter((name) => name !== 'number'))
      assert.ok(done.detail.includes(`It cannot change ${name}.`))
  }
  assert.deepEqual(events, [])
})

test('a wrong value is refused with the form that is expected', async () => {
  const { ask, events } = begin()
  const detail = async (wanted: unknown) => {
    const done = await ask(wanted)
    assert.ok(!done.ok && done.code === 'invalid_setting')
    return done.detail
  }
  assert.match(await detail({ smsc: 'centre' }), /^smsc centre is not a number: /)
  assert.match(await detail({ number: ['5'] }), /^number must be a text of up to 200 characters, or null$/)
  assert.deepEqual(events, [])
})

test('settings that the disk does not take are not used', async () => {
  const { ask, events, disk } = begin()
  disk.full = true
  assert.deepEqual(await ask({ number: 12345 }), { ok: false, code: 'not_kept', detail: 'The disk is full' })
  assert.deepEqual(events, [])
})

test('each driver names the settings that an order can change', async () => {
  const able = {
    modem: 'number, smsc, no-credit',
    termux: 'sim, number',
    'android-gateway': 'sim',
    simulated: 'number',
  }
  for (const [driver, names] of Object.entries(able)) {
    const done = await begin(driver).ask({})
    assert.ok(!done.ok && done.detail.endsWith(`An order can change: ${names}`))
  }
})
