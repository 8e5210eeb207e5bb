import {
  type Command,
  deviceInbox,
  deviceReports,
  InboxSms,
  Report,
} from '@sdd/contract/fleet/device-protocol.ts'
import type { Topic } from '@sdd/contract/core/topic.ts'
import * as z from 'zod/mini'

/**
 * The fields that an acknowledgement names. An item with other invalid fields is acknowledged too: it would be just as
 * invalid the next time.
 */
const NamedReport = z.pick(Report, { guid: true, attempt: true, state: true })
const NamedSms = z.pick(InboxSms, { id: true })

/**
 * The acknowledgements for a committed packet of reports or received SMS. The device's PUBACK came from the external
 * broker and says nothing about this server.
 */
export function acksFor(topic: Topic, payload: Buffer): Command[] {
  if (topic === deviceReports) {
    return itemsOf(payload).flatMap((item) => {
      const report = NamedReport.safeParse(item).data
      return report ? [{ type: 'ack', ...report } as const] : []
    })
  }
  if (topic !== deviceInbox) return []
  return itemsOf(payload).flatMap((item) => {
    const sms = NamedSms.safeParse(item).data
    return sms ? [{ type: 'ack_inbox', ...sms } as const] : []
  })
}

function itemsOf(payload: Buffer): unknown[] {
  try {
    return [JSON.parse(payload.toString()) as unknown].flat()
  } catch {
    return []
  }
}
