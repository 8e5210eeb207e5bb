import assert from 'node:assert/strict'
import { test } from 'node:test'
import { devices as en } from './text.en.ts'
import { devices as es } from './text.es.ts'
import { devices as specified } from './text.ts'

const quarantined = (last: string) => ({
  quarantine_reason: `5 messages in a row failed on it, the last with ${last}.`,
  quarantine_reason_code: 'failures_in_row' as const,
  quarantine_reason_params: { failures: 5, last },
})

test('a chosen language says why a device is in quarantine, and quotes the words of the device', () => {
  const said = quarantined('no_network: +CME ERROR: 30')
  assert.equal(
    es.quarantineReason(said),
    'Fallaron 5 mensajes seguidos. El último: no había red móvil («+CME ERROR: 30»).',
  )
  assert.equal(
    en.quarantineReason(said),
    '5 messages in a row failed. The last one: there was no mobile network (“+CME ERROR: 30”).',
  )
  assert.equal(specified.quarantineReason(said), said.quarantine_reason)
})

test('a failure whose code has no words is named by its code', () => {
  assert.match(es.quarantineReason(quarantined('38')) ?? '', / El último: código 38\.$/)
  assert.match(en.quarantineReason(quarantined('38')) ?? '', / The last one: code 38\.$/)
  assert.match(es.quarantineReason(quarantined('constructor')) ?? '', / código constructor\.$/)
  assert.match(en.quarantineReason(quarantined('constructor')) ?? '', / code constructor\.$/)
})

test('a device without a reason has none in any language', () => {
  for (const { quarantineReason } of [specified, es, en]) assert.equal(quarantineReason({}), undefined)
})

test('one device is not several', () => {
  for (const { fleetCount } of [specified, es, en]) {
    assert.match(fleetCount('1'), /^1 (dispositivo|device)$/)
    assert.match(fleetCount('2'), /^2 (dispositivos|devices)$/)
  }
})
