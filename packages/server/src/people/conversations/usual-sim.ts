import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { Tx } from '#server/database/schema.ts'
import { simNumber } from '#server/fleet/devices/sim-numbers.ts'
import { simToAnswerBy } from '#server/fleet/sims/own-numbers.ts'
import { linkedDevice, threadStore } from './store.ts'

/** The last messages that may show which SIM sent them. Those before it failed or still wait. */
const LAST_SENT = 20

/**
 * The device through which the company last exchanged a message with this number, and the number of the SIM if it is
 * known. `undefined` if they exchanged none, the device was unlinked, or it no longer has that SIM.
 */
export async function usualSim(
  tx: Tx,
  numbers: Pick<Numbers, 'kept'>,
  company_id: number,
  number: string,
): Promise<{ device_id: number; from_number: string | null } | undefined> {
  const last = await lastExchange(tx, company_id, number)
  const device = last && (await linkedDevice(tx, company_id, last.device_id))
  if (last === undefined || device === undefined) return undefined
  if (last.sim === null) return { device_id: device.id, from_number: null }
  const sim = await simToAnswerBy(tx, device, last.sim, (written) => simNumber(numbers, company_id, written))
  return sim && { device_id: device.id, from_number: sim.number }
}

type Exchange = { stored_at: string; device_id: number | null; sim: string | null }

async function lastExchange(
  tx: Tx,
  company_id: number,
  number: string,
): Promise<{ device_id: number; sim: string | null } | undefined> {
  const thread = threadStore(tx, company_id, number)
  const received = await thread.received(Number.MAX_SAFE_INTEGER, 1)
  const typed = await thread.typed(Number.MAX_SAFE_INTEGER, 1)
  const sent = (await thread.sent(Number.MAX_SAFE_INTEGER, LAST_SENT)).find(
    ({ answer_sent_timestamp, state }) => answer_sent_timestamp !== null || WAS_SENT.includes(state),
  )
  const exchanges: Exchange[] = [
    ...received.map((row) => ({ ...row, stored_at: row.received_at })),
    ...typed,
    ...(sent ? [{ ...sent, stored_at: sent.queue_timestamp }] : []),
  ]
  let [last] = exchanges
  for (const each of exchanges) if (last && each.stored_at > last.stored_at) last = each
  return last && last.device_id !== null ? { device_id: last.device_id, sim: last.sim } : undefined
}

const WAS_SENT: readonly string[] = ['sent', 'delivered', 'replied']
