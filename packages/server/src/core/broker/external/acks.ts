import { type Command, Report } from '@sdd/contract/device-protocol.ts'
import * as z from 'zod/mini'

/** What names a report: one that could not be taken for another fault is settled all the same, as it will be no better. */
const Named = z.pick(Report, { guid: true, attempt: true, state: true })

/**
 * The `ack` commands for a packet of reports that is committed: the PUBACK that the device had was the broker's, which
 * says nothing of us.
 */
export function acksFor(payload: Buffer): Command[] {
  return itemsOf(payload).flatMap((item) => {
    const named = Named.safeParse(item).data
    return named ? [{ type: 'ack', ...named } as const] : []
  })
}

function itemsOf(payload: Buffer): unknown[] {
  try {
    return [JSON.parse(payload.toString()) as unknown].flat()
  } catch {
    return []
  }
}
