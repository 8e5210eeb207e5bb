import assert from 'node:assert/strict'
import { test } from 'node:test'
import { USUAL_BEHAVIOUR } from '#simulator/behaviour.ts'
import { NO_FAULTS } from '#simulator/faults.ts'
import { readOptions, usage } from '#simulator/options.ts'

test('without options the fleet is small and well-behaved', () => {
  const options = readOptions([])
  assert.deepEqual(
    [options.server_url, options.count, options.code],
    ['http://127.0.0.1:8080', 12, undefined],
  )
  assert.deepEqual(options.behaviour, USUAL_BEHAVIOUR)
  assert.deepEqual(options.faults, NO_FAULTS)
  assert.deepEqual(options.expectations, {})
})

test('every option is read into its field', () => {
  const args =
    '--server http://h:1 --mqtt mqtt://h:2 --code C --devices 1000 --prefix x- --seed s --duration-secs 9'
  const tuned = '--send-ms 5-10 --delivery-ms 7 --failing 0.5 --drop-report 0.1 --crash-every-secs 60'
  const checked = '--spoof-time-secs 3 --max-sms-dayly 0'
  const options = readOptions([args, tuned, checked].join(' ').split(' '))
  assert.deepEqual(
    [
      options.server_url,
      options.mqtt_url,
      options.code,
      options.count,
      options.prefix,
      options.seed,
      options.duration_secs,
    ],
    ['http://h:1', 'mqtt://h:2', 'C', 1000, 'x-', 's', 9],
  )
  assert.deepEqual(options.behaviour, {
    ...USUAL_BEHAVIOUR,
    send_ms: [5, 10],
    delivery_ms: [7, 7],
    failing: 0.5,
  })
  assert.deepEqual(options.faults, { ...NO_FAULTS, drop_report: 0.1, crash_every_secs: 60 })
  assert.deepEqual(options.expectations, { spoof_time_secs: 3, max_sms_dayly: 0 })
})

test('an invalid option is named', () => {
  assert.throws(() => readOptions(['--devices', 'many']), /--devices must be a number, not many/)
  assert.throws(
    () => readOptions(['--send-ms', '10-5']),
    /--send-ms must be milliseconds such as 200-5000, not 10-5/,
  )
  assert.throws(() => readOptions(['--sped', '1']), /--sped/)
})

test('the help names every option with its default', () => {
  const help = usage()
  const tunable = Object.keys({ ...USUAL_BEHAVIOUR, ...NO_FAULTS }).map((name) => name.replaceAll('_', '-'))
  for (const name of ['server', 'code', 'devices', 'ledger', ...tunable])
    assert.match(help, new RegExp(`--${name} `))
  assert.match(help, /--send-ms .*\(900-2500\)/)
  assert.doesNotMatch(help, /undefined/)
})
