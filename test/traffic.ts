import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { BreachCode } from '../packages/simulator/src/breaches.ts'
import { type Installation, startInstallation } from './installation.ts'

const DEVICES = 20
const SENDERS = 6
/** At least this many messages are acknowledged before each kill, and after the last one. */
const MESSAGES_BETWEEN = 10

/**
 * Sends through a server while `kill` repeatedly ends and restarts it. Then compares acknowledged, stored and on-air
 * messages: nothing is lost, and nothing is sent twice.
 */
export async function killUnderTraffic(
  t: TestContext,
  needs: {
    kills: number
    settings?: Record<string, string>
    kill: (installation: Installation, kill: number) => Promise<void>
    /** Breaches of the protocol that cannot be avoided. */
    tolerates?: BreachCode
  },
): Promise<void> {
  const { kills, settings, kill, tolerates } = needs
  const installation = await startInstallation({
    devices: DEVICES,
    behaviour: { send_ms: [1, 30], delivery_ms: [5, 100], reconnect_ms: [20, 200] },
    faults: { repeat_report: 0.05, reorder_report: 0.05 },
    max_sms_dayly: 100_000,
    ...(settings && { settings }),
  })
  const { uids, fleet, api } = installation

  const acknowledged = new Set<string>()
  let sending = true
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = 0; sending; n++) {
      const sms = {
        device_uid: uids[(sender + n * SENDERS) % uids.length],
        telefono_to: `+3460${sender}${String(n).padStart(6, '0')}`,
        mensaje_sms: `message ${n} of sender ${sender}`,
      }
      const answer = await api<{ guid: string }>('/api/device-send-sms', sms).catch(() => undefined)
      if (answer?.status === 200) acknowledged.add(answer.body.guid)
      else await wait(20)
    }
  })
  /** Resolves when this many more messages are acknowledged, however slow the machine is. */
  const taken = async (more: number) => {
    const enough = acknowledged.size + more
    while (acknowledged.size < enough) await wait(10)
  }
  for (let n = 0; n < kills; n++) {
    await taken(MESSAGES_BETWEEN)
    await wait(Math.random() * 500)
    await kill(installation, n)
  }
  await taken(MESSAGES_BETWEEN)
  sending = false
  await Promise.all(senders)

  const log = await settled(api)
  const states = new Map(log.map((entry) => [entry.guid, entry.state]))
  const lost = [...acknowledged].filter((guid) => !states.has(guid))
  assert.deepEqual(lost, [], 'acknowledged and lost')
  const onAir = fleet.onAir()
  t.diagnostic(
    `${acknowledged.size} acknowledged, ${log.length} stored, ${onAir.size} on air, ${kills} kills`,
  )
  const twice = [...onAir].filter(([, times]) => times > 1)
  assert.deepEqual(twice, [], 'on air more than once')
  const untrue = log.filter(
    ({ guid, state }) => onAir.has(guid) !== ['sent', 'delivered', 'replied'].includes(state),
  )
  assert.deepEqual(untrue, [], 'shown in a wrong state')
  assert.deepEqual(
    fleet.breaches().filter(({ code }) => code !== tolerates),
    [],
  )

  assert.equal(await installation.stop(), 0)
}

type Entry = { guid: string; state: string; waiting_for: string | null }
type Page = { logs: Entry[]; next_cursor: string | null }
type Api = Installation['api']

/** The whole log, once no message in it waits any more. */
async function settled(api: Api): Promise<Entry[]> {
  const end = Date.now() + 60_000
  for (;;) {
    const log = await wholeLog(api)
    const open = log.filter(({ state }) => state !== 'delivered')
    if (open.length === 0) return log
    assert.ok(Date.now() < end, `still open: ${JSON.stringify(open.slice(0, 5), null, 2)}`)
    await wait(250)
  }
}

async function wholeLog(api: Api): Promise<Entry[]> {
  const log: Entry[] = []
  for (let cursor = ''; ;) {
    const { body } = await api<Page>(`/api/logs/devices?limit=1000${cursor && `&cursor=${cursor}`}`)
    log.push(...body.logs)
    if (body.next_cursor === null) return log
    cursor = body.next_cursor
  }
}
