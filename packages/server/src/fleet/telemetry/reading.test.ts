import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTelemetry } from './reading.ts'

const NOW = Date.parse('2026-06-10T08:00:00Z')
const nothing = { battery: null, charging: null, temperature: null, disk_free_mb: null, signal_dbm: null }

test('a field out of range or of another type is dropped and counted, and the others count', () => {
  const whole = {
    battery: 0,
    charging: false,
    temperature: -50,
    disk_free_mb: 1_000_000_000,
    signal_dbm: -150,
  }
  const at = '2026-06-10T08:04:00Z'
  assert.deepEqual(readTelemetry({ at, ...whole, unknown: 1 }, NOW), {
    reading: { at_ms: NOW + 240_000, ...whole },
    dropped: 0,
  })
  const wrong: [string, unknown][] = [
    ['battery', 100.1],
    ['battery', '85'],
    ['charging', 1],
    ['temperature', -50.1],
    ['temperature', 151],
    ['disk_free_mb', -1],
    ['disk_free_mb', 1e9 + 1],
    ['signal_dbm', 1],
    ['signal_dbm', [-70]],
  ]
  for (const [field, value] of wrong) {
    const { reading, dropped } = readTelemetry({ at, ...whole, [field]: value }, NOW)
    assert.deepEqual([reading, dropped], [{ at_ms: NOW + 240_000, ...whole, [field]: null }, 1], field)
  }
})

test('a time that is more than five minutes off, missing or no time is now, and null says nothing', () => {
  const at = (time: unknown) => readTelemetry({ at: time, battery: 50 }, NOW)
  assert.equal(at('2026-06-10T07:55:00Z').reading.at_ms, NOW - 300_000)
  assert.equal(at('2026-06-10T07:54:59Z').reading.at_ms, NOW)
  assert.equal(at('2026-06-10T08:05:01Z').reading.at_ms, NOW)
  assert.deepEqual([at(undefined).reading.at_ms, at(undefined).dropped], [NOW, 0])
  assert.deepEqual([at('soon').reading.at_ms, at('soon').dropped], [NOW, 1])
  const { reading, dropped } = readTelemetry({ battery: 50, charging: null }, NOW)
  assert.deepEqual([reading, dropped], [{ ...nothing, at_ms: NOW, battery: 50 }, 0])
})

test('a payload without any good field still has its time', () => {
  assert.deepEqual(readTelemetry({ at: '2026-06-10T08:01:00Z', battery: 200, signal_dbm: 'low' }, NOW), {
    reading: { ...nothing, at_ms: NOW + 60_000 },
    dropped: 2,
  })
})
