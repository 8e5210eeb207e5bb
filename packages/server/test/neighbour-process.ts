import { setTimeout as wait } from 'node:timers/promises'
import { connectDevice } from './device.ts'

/**
 * A user with the console open, and a reporting device, in a separate process, so that an attack slows down only the
 * server. Each acts every 25 ms; the user alternates between a kept connection and new ones. The parent can ask for the
 * longest time of either.
 */
const [url, token, account] = process.argv.slice(2) as [string, string, string]
const device = await connectDevice(JSON.parse(account) as Parameters<typeof connectDevice>[0])

export type Noticed = {
  requests: number
  reports: number
  request_ms: number
  report_ms: number
  faults: string[]
}
let noticed = nothingNoticed()

process.on('message', () => void tell())
process.on('disconnect', () => process.exit())
void repeat('request', ask)
void repeat('report', () => device.publish('networks', { wifi: { ssid: 'home' }, mobile: null }))
process.send!('ready')

/** Reports once each has done something, or has waited too long for it. */
async function tell(): Promise<void> {
  const until = performance.now() + 20_000
  while ((noticed.requests === 0 || noticed.reports === 0) && performance.now() < until) await wait(10)
  process.send!(noticed)
  noticed = nothingNoticed()
}

async function repeat(what: 'request' | 'report', act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const began = performance.now()
    await act().catch((error: Error) =>
      noticed.faults.push(`${what}: ${error.message} ${(error.cause as Error | undefined)?.message}`),
    )
    noticed[`${what}s`]++
    noticed[`${what}_ms`] = Math.max(noticed[`${what}_ms`], Math.round(performance.now() - began))
    await wait(25)
  }
}

async function ask(): Promise<void> {
  const connection = noticed.requests % 2 === 0 ? 'close' : 'keep-alive'
  const answer = await fetch(`${url}/api/device-list`, {
    headers: { authorization: `Bearer ${token}`, connection },
    signal: AbortSignal.timeout(20_000),
  })
  await answer.text()
  if (answer.status !== 200) throw new Error(`status ${answer.status}`)
}

function nothingNoticed(): Noticed {
  return { requests: 0, reports: 0, request_ms: 0, report_ms: 0, faults: [] }
}
