import type { Answer, OrderCommand } from '@sdd/contract/fleet/device-protocol.ts'
import type { Ability } from '@sdd/contract/fleet/orders.ts'
import type { Clock } from '#agent/clock.ts'
import type { Done, Driver } from '#agent/driver.ts'
import { type Finding, linesOf } from '#agent/findings.ts'
import type { RecentLines } from './recent-lines.ts'

/** What the server may ask of a device with this driver, besides sending messages. */
export function abilitiesOf(driver: Pick<Driver, 'dial' | 'restart' | 'configure'>): Ability[] {
  const able: Ability[] = ['doctor', 'logs']
  if (driver.dial) able.push('ussd')
  if (driver.restart) able.push('restart_radio')
  if (driver.configure) able.push('configure')
  return able
}

const USUAL_LINES = 200
/** An answer leaves this long before its order expires, so that it is known why nothing was done. */
const AHEAD_MS = 1_000

type OrderNeeds = {
  clock: Pick<Clock, 'now'>
  last: RecentLines['last']
  /** The findings about the device. */
  examine: () => Finding[]
  driver: Pick<Driver, 'dial' | 'restart' | 'configure'>
  /** Changes settings of the device. */
  configure: (wanted: unknown) => Promise<Done>
}

/** Obeys an order. Resolves to its answer; undefined if the order has expired. */
export async function answerOrder(
  { clock, last, examine, driver, configure }: OrderNeeds,
  { order, what, with: details, expires_at }: OrderCommand,
): Promise<Answer | undefined> {
  const left_ms = Date.parse(expires_at) - clock.now()
  if (left_ms <= 0) return undefined
  const within_ms = Math.max(left_ms - AHEAD_MS, left_ms / 2)
  if (what === 'doctor') return { order, ok: true, output: examine().flatMap(linesOf).join('\n') }
  if (what === 'logs') {
    const asked = details?.['lines']
    return { order, ok: true, output: last(typeof asked === 'number' ? asked : USUAL_LINES).join('\n') }
  }
  const code = details?.['code']
  if (what === 'ussd' && driver.dial && typeof code === 'string')
    return { order, ...(await driver.dial(code, within_ms)) }
  if (what === 'restart_radio' && driver.restart) return { order, ...(await driver.restart(within_ms)) }
  if (what === 'configure' && driver.configure) return { order, ...(await configure(details?.['settings'])) }
  return { order, ok: false, code: 'not_able', detail: `This agent cannot do that: ${what}` }
}
