import { setTimeout as wait } from 'node:timers/promises'
import type { Report } from '../packages/contract/src/fleet/device-protocol.ts'
import type { LinkedDevice } from '../packages/contract/src/fleet/devices.ts'
import { connectDevice, type TestDevice } from '../packages/server/test/device.ts'

type Outcome = Pick<Report, 'state' | 'code'>

/**
 * A device that connects again whenever its server comes back. It sends each attempt once, and reports its outcome until
 * the server has it.
 */
export function startSteadyDevice(account: LinkedDevice, iccid: string) {
  const state = { ready: true, credit: true }
  const outcomes = new Map<string, Pick<Report, 'guid' | 'attempt'> & Outcome>()
  const acknowledged = new Set<string>()
  const onAir: { to: string; text: string }[] = []
  let device: TestDevice | undefined
  let stopped = false
  const ended = live()
  const networks = () => ({
    wifi: null,
    mobile: { sims: [{ slot: 1, iccid }] },
    radio: { ready: state.ready, says: state.ready ? 'registered' : 'the modem is gone' },
  })

  async function live(): Promise<void> {
    while (!stopped) {
      const next = await connectDevice(account).catch(() => undefined)
      if (next === undefined) await wait(50)
      else await serve(next)
    }
  }

  async function serve(next: TestDevice): Promise<void> {
    next.client.on('message', () => void work(next))
    await Promise.race([next.publish('networks', networks()), next.ended])
    device = next
    void work(next)
    await next.ended
    device = undefined
  }

  async function work(next: TestDevice): Promise<void> {
    for (const { type, guid, attempt, to, text } of next.commands.splice(0)) {
      if (type !== 'send') continue
      const key = `${guid} ${attempt}`
      acknowledged.delete(key)
      if (outcomes.has(key)) continue
      const outcome: Outcome = state.credit ? { state: 'sent' } : { state: 'failed', code: 'no_credit' }
      outcomes.set(key, { guid, attempt, ...outcome })
      if (outcome.state === 'sent') onAir.push({ to, text })
    }
    for (const [key, outcome] of outcomes) {
      if (acknowledged.has(key)) continue
      await next.report(outcome)
      acknowledged.add(key)
    }
  }

  return {
    onAir: onAir as readonly { to: string; text: string }[],
    connected: () => device !== undefined,
    /** Changes whether its radio is ready and its SIM has credit, and says so. */
    async say(change: Partial<typeof state>): Promise<void> {
      Object.assign(state, change)
      await device?.publish('networks', networks())
    },
    async stop() {
      stopped = true
      device?.vanish()
      await ended
    },
  }
}
