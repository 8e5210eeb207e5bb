import type { DueRow } from './due.store.ts'
import type { Posted } from './posting.ts'
import { signatureHeaders, twilioSignature } from './signature.ts'

type Request = { posted: Posted; headers: Readonly<Record<string, string>> }

/** The request of one try, in the form of the callback. `secrets`: the present one first. */
export function requestOf(row: Omit<DueRow, 'id'>, secrets: readonly string[], now_ms: number): Request {
  const { company_id, url, body, webhook_id } = row
  switch (row.format) {
    case null:
      return {
        posted: { company_id, url, body },
        headers: signatureHeaders(secrets, webhook_id, now_ms, body),
      }
    case 'kannel':
      // The body is the URL with its escapes filled in.
      return { posted: { company_id, url: body, body: null }, headers: { 'webhook-id': webhook_id } }
    case 'twilio': {
      // There is only one signature. During an overlap, the receiver may not have the new secret yet.
      const signature = { 'X-Twilio-Signature': twilioSignature(secrets.at(-1)!, url, body) }
      const posted = { company_id, url, body, type: FORM, reads_answer: row.type === 'sms.received' }
      return { posted, headers: { ...signature, 'I-Twilio-Idempotency-Token': webhook_id } }
    }
  }
}

const FORM = 'application/x-www-form-urlencoded; charset=utf-8'
