import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { puback } from '@sdd/mqtt/codec/publish.ts'
import { type BreachCode, rules } from '#simulator/breaches.ts'
import type { Fleet, FleetNeeds } from '#simulator/fleet.ts'
import type { Endpoint } from '#test/endpoint.ts'
import { eventually, openScene, sendCommand } from '#test/fleet.ts'

type Plant = {
  /** The server's mistake. */
  server: string
  needs?: Partial<FleetNeeds>
  /** Breaches that always come with it. */
  also?: BreachCode[]
  /** Breaches that may come with it, depending on random radio times. */
  perhaps?: BreachCode[]
  act: (endpoint: Endpoint, fleet: Fleet) => void | Promise<void>
}

const SLOW = { behaviour: { send_ms: [60_000, 60_000] as const } }
const FAILING = { behaviour: { failing: 1 } }

/** Waits for this state of the first attempt, then hands over the second. */
async function retry(endpoint: Endpoint, state: string): Promise<void> {
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until(state, () => endpoint.reports('g1').some((report) => report.state === state))
  endpoint.command('d1', sendCommand('g1', { attempt: 2 }))
}

const plants: Record<BreachCode, Plant> = {
  malformed_command: {
    server: 'sends an unknown command',
    act: (endpoint) => void endpoint.command('d1', { type: 'send', guid: 'g1' }),
  },
  not_qos_1: {
    server: 'sends a command with QoS 0',
    act: (endpoint) => void endpoint.command('d1', { type: 'networks' }, { qos: 0 }),
  },
  retained: {
    server: 'sends a retained command',
    act: (endpoint) => void endpoint.command('d1', { type: 'networks' }, { retain: true }),
  },
  wrong_topic: {
    server: "sends another device's command",
    act: (endpoint) => void endpoint.command('d1', { type: 'networks' }, { topic: 'devices/d2/commands' }),
  },
  unexpected_ack: {
    server: 'sends ack commands although the PUBACK is the acknowledgement',
    act: (endpoint) => void endpoint.command('d1', { type: 'ack', guid: 'g1', attempt: 1, state: 'sent' }),
  },
  wrong_sim: {
    server: 'chooses a device without the SIM of from_number',
    act: (endpoint) => void endpoint.command('d1', sendCommand('g1', { from: '+34999999999' })),
  },
  content_changed: {
    server: 'repeats a guid and attempt with another text',
    needs: SLOW,
    also: ['resent_too_soon'],
    act(endpoint) {
      endpoint.acknowledge(false)
      endpoint.command('d1', sendCommand('g1', { text: 'one' }))
      endpoint.command('d1', sendCommand('g1', { text: 'other' }))
    },
  },
  on_air_twice: {
    server: 'retries a message that went on air',
    also: ['retry_not_allowed'],
    act: (endpoint) => retry(endpoint, 'sent'),
  },
  given_to_two_devices: {
    server: 'hands one attempt to two devices',
    needs: { ...SLOW, devices: ['d1', 'd2'].map((uid) => ({ uid, secret: '' })) },
    async act(endpoint) {
      endpoint.command('d1', sendCommand('g1'))
      await endpoint.until('accepted', () => endpoint.reports('g1').length === 1)
      endpoint.command('d2', sendCommand('g1'))
    },
  },
  retried_unknown_outcome: {
    server: 'retries an uncertain message',
    needs: { behaviour: { unanswered: 1, delivery_ms: [60_000, 60_000] } },
    perhaps: ['on_air_twice'],
    act: (endpoint) => retry(endpoint, 'failed'),
  },
  before_status: {
    server: 'hands over a command before the status',
    async act(endpoint) {
      endpoint.cut('d1')
      await endpoint.until('the second subscribe', () => {
        return endpoint.events.some(({ kind, connection }) => kind === 'subscribe' && connection === 2)
      })
      endpoint.command('d1', sendCommand('g1'))
    },
  },
  disabled: {
    server: 'hands over a command to a disabled device',
    needs: { expectations: { enabled: false } },
    act: (endpoint) => void endpoint.command('d1', sendCommand('g1')),
  },
  too_many_unfinished: {
    server: 'hands over an eleventh message',
    needs: SLOW,
    act(endpoint) {
      for (let i = 1; i <= 11; i++) endpoint.command('d1', sendCommand(`g${i}`))
    },
  },
  too_close: {
    server: 'hands over a command before spoof_time_secs are over',
    needs: { expectations: { spoof_time_secs: 5 } },
    act(endpoint) {
      endpoint.command('d1', sendCommand('g1'))
      endpoint.command('d1', sendCommand('g2'))
    },
  },
  over_daily_limit: {
    server: 'hands over more parts than max_sms_dayly',
    needs: { expectations: { max_sms_dayly: 2 } },
    act(endpoint) {
      endpoint.command('d1', sendCommand('g1'))
      endpoint.command('d1', sendCommand('g2', { text: 'ж'.repeat(71) }))
    },
  },
  resent_too_soon: {
    server: 'repeats a command without a report at once',
    needs: SLOW,
    act(endpoint) {
      endpoint.acknowledge(false)
      endpoint.command('d1', sendCommand('g1'))
      endpoint.command('d1', sendCommand('g1'))
    },
  },
  resent_after_report: {
    server: 'repeats a command after it acknowledged the report',
    needs: SLOW,
    async act(endpoint) {
      endpoint.command('d1', sendCommand('g1'))
      await endpoint.until('accepted', () => endpoint.reports('g1').length === 1)
      await wait(1_200)
      endpoint.command('d1', sendCommand('g1'))
    },
  },
  stray_puback: {
    server: 'acknowledges a message that was not published',
    act: (endpoint) => endpoint.write('d1', puback(4711)),
  },
  retry_not_allowed: {
    server: 'retries a permanent failure',
    needs: { behaviour: { blocked: 1 } },
    act: (endpoint) => retry(endpoint, 'failed'),
  },
  retried_too_soon: {
    server: 'retries without waiting 10 s',
    needs: FAILING,
    act: (endpoint) => retry(endpoint, 'failed'),
  },
  too_many_attempts: {
    server: 'makes a fourth attempt',
    act: (endpoint) => void endpoint.command('d1', sendCommand('g1', { attempt: 4 })),
  },
  after_expiry: {
    server: 'hands over an expired message',
    act(endpoint) {
      const expires_at = new Date(Date.now() - 2_000).toISOString()
      endpoint.command('d1', sendCommand('g1', { expires_at }))
    },
  },
}

for (const [code, { server, needs, also = [], perhaps = [], act }] of Object.entries(plants)) {
  test(`rule ${rules[code as BreachCode]}: a server that ${server} is detected (${code})`, async (t) => {
    const { endpoint, start } = await openScene(t)
    const fleet = await start(needs)
    assert.deepEqual(fleet.breaches(), [])
    await act(endpoint, fleet)
    await eventually(code, () => fleet.breaches().some((breach) => breach.code === code))
    const breaches = fleet.breaches()
    const found = new Set<string>(breaches.map((breach) => breach.code))
    assert.deepEqual(found.difference(new Set(perhaps)), new Set([code, ...also]))
    const breach = breaches.find((one) => one.code === code)
    assert.equal(breach?.rule, rules[code as BreachCode])
    assert.equal(breach?.uid.startsWith('d'), true)
    assert.ok(breach?.detail)
    assert.equal(fleet.stats().breaches, breaches.length)
  })
}
