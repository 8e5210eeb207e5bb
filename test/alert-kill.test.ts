import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { suite, type TestContext, test } from 'node:test'
import { saveRoutes } from '../packages/contract/src/fleet/routes.ts'
import { sendSms } from '../packages/contract/src/messages/messages.ts'
import { type AlertChannelChange, saveAlertChannel } from '../packages/contract/src/outward/alert-channels.ts'
import { type AlertCondition, listAlerts, saveAlertRule } from '../packages/contract/src/outward/alerts.ts'
import { createTasks } from '../packages/contract/src/tasks/tasks.ts'
import { eventually } from '../packages/server/test/device.ts'
import { type AlertedWorld, OPERATOR, openAlertedWorld, startDeviceProcess } from './alerted-world.ts'
import type { Step } from './mortal-server.ts'

/**
 * A condition, the channel that is told, and the steps at which the server is killed. A condition without a time is found
 * by two checks, so the first two steps come twice.
 */
type Trial = {
  condition: AlertCondition
  value: number
  channel: (world: AlertedWorld) => AlertChannelChange
  /** The messages that the channel got, each with the id that its repetitions have, too. */
  got: (world: AlertedWorld) => { text: string; id?: string | undefined }[]
  begin: (world: AlertedWorld, t: TestContext) => Promise<void>
  end: (world: AlertedWorld) => Promise<unknown>
  opening: Step[]
  resolving: Step[]
  /** The condition is only believed once devices had their time to come back after a start. */
  settles?: true
}

const FOUND_TWICE: Step[] = ['alerting', 'alerted', 'alerting', 'alerted']
const FOUND_ONCE: Step[] = ['alerting', 'alerted']
/** The server cannot know whether a try arrived that the kill interrupted, so it repeats the same message. */
const REPEATED: readonly Step[] = ['received', 'taken']
const SETTLING_MS = 61_000
const SMS = { device_uid: 'roof', telefono_to: '+34600111222', mensaje_sms: 'hola' }

function isTold(
  title: string,
  { condition, value, channel, got, begin, end, opening, resolving, settles }: Trial,
): void {
  test(`${title} is told once, and once when it is over, by a server that is killed at every step`, async (t) => {
    const world = await openAlertedWorld(t)
    const { server, ask } = world
    const { id } = await ask(saveAlertChannel, { body: channel(world) })
    await ask(saveAlertRule, { body: { condition, value, channels: [id] } })
    const read = async () => (await ask(listAlerts, {})).alerts

    async function survive(event: 'opened' | 'resolved', steps: Step[], cause: () => Promise<unknown>) {
      for (const [n, step] of steps.entries()) {
        // Before the cause, because the next check may come at once.
        server.arm(step)
        if (n === 0) await cause()
        else if ((await world.start()) && settles) server.pass(SETTLING_MS)
        await world.dead()
      }
      await world.start()
      if (settles) server.pass(SETTLING_MS)
      const isDone = async () =>
        (await read()).some(({ told }) => told.some((one) => one.event === event && one.delivered))
      await eventually(isDone, 40_000)
    }

    await survive('opened', opening, () => begin(world, t))
    await survive('resolved', resolving, () => end(world))

    const [alert, ...others] = await read()
    assert.deepEqual(others, [])
    assert.equal(alert!.rule.condition, condition)
    assert.notEqual(alert!.resolved_at, null)
    assert.deepEqual(
      alert!.told.map(({ channel, event, delivered }) => [channel, event, delivered]),
      [
        [id, 'opened', true],
        [id, 'resolved', true],
      ],
    )
    const about = Map.groupBy(got(world), ({ text }) => text.split(':')[0]!)
    assert.deepEqual([...about.keys()], ['Alert', 'Resolved'])
    for (const [messages, steps] of [
      [about.get('Alert')!, opening],
      [about.get('Resolved')!, resolving],
    ] as const) {
      assert.equal(messages.length, 1 + steps.filter((step) => REPEATED.includes(step)).length)
      assert.equal(new Set(messages.map((message) => JSON.stringify(message))).size, 1)
    }
  })
}

// Each server mostly waits for its next check.
suite('alerts', { concurrency: 3 }, () => {
  isTold('a device that is killed', {
    condition: 'device_away',
    value: 0,
    channel: () => ({ kind: 'email', name: 'Office', settings: { to: ['ana@example.com'] } }),
    got: ({ mails }) => mails(),
    async begin({ link }, t) {
      const yard = await startDeviceProcess(t, await link('yard'))
      yard.kill('SIGKILL')
    },
    end: ({ restartDevice }) => restartDevice('yard'),
    opening: [...FOUND_ONCE, 'prepared', 'received', 'taken', 'told'],
    resolving: [...FOUND_ONCE, 'prepared', 'received', 'taken', 'told'],
    settles: true,
  })

  isTold('a radio that is not ready', {
    condition: 'radio_not_ready',
    value: 0,
    channel: ({ http }) => ({ kind: 'webhook', name: 'Desk', settings: { url: `${http.url}/desk` } }),
    got: ({ posts }) => posts('/desk'),
    begin: ({ roof }) => roof.say({ ready: false }),
    end: ({ roof }) => roof.say({ ready: true }),
    opening: [...FOUND_ONCE, 'prepared', 'received', 'taken', 'told'],
    resolving: [...FOUND_ONCE, 'prepared', 'received', 'taken', 'told'],
  })

  isTold('a SIM without credit', {
    condition: 'balance_low',
    value: 1,
    channel: ({ http }) => ({
      kind: 'telegram',
      name: 'Night shift',
      settings: { chat_id: '-100', token: 'token-1', url: http.url },
    }),
    got: ({ posts }) => posts('/bottoken-1/sendMessage'),
    async begin({ ask, roof }) {
      await roof.say({ credit: false })
      await ask(sendSms, { body: SMS })
    },
    async end({ ask, roof }) {
      await roof.say({ credit: true })
      await ask(sendSms, { body: SMS })
    },
    opening: [...FOUND_TWICE, 'received'],
    resolving: [...FOUND_TWICE, 'taken'],
  })

  isTold('a stuck queue', {
    condition: 'queue_age',
    value: 1,
    channel: ({ http }) => ({ kind: 'ntfy', name: 'Phone', settings: { topic: 'fleet', url: http.url } }),
    got: ({ posts }) => posts('/fleet'),
    async begin({ ask, server }) {
      const route = { match: { prefix: '+351' }, via: 'portugal', fallback: 'wait', enabled: true } as const
      await ask(saveRoutes, { body: { routes: [route] } })
      await ask(createTasks, { body: { to_number: '+351912345678', text: 'olá' } })
      server.pass(SETTLING_MS)
    },
    end: ({ ask }) => ask(saveRoutes, { body: { routes: [] } }),
    opening: ['alerted', 'alerting', 'taken'],
    resolving: ['alerting', 'alerted', 'received'],
  })

  isTold('a disk that is nearly full', {
    condition: 'disk_short',
    value: 1_000,
    channel: () => ({ kind: 'sms', name: 'Operator', settings: { to: OPERATOR } }),
    got: ({ texts }) => texts(),
    begin: async ({ free }) => writeFileSync(free, '900'),
    end: async ({ free }) => writeFileSync(free, '5000'),
    opening: [...FOUND_TWICE, 'prepared', 'inserted', 'claimed', 'commanded', 'reported', 'told'],
    resolving: ['alerted', 'inserted', 'commanded', 'told'],
  })
})
