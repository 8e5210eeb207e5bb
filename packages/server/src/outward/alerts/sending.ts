import { cutText } from '@sdd/contract/core/fields.ts'
import type { AlertBody } from '@sdd/contract/outward/alerts.ts'
import type { Posting } from '#server/outward/callbacks/posting.ts'
import { signatureHeaders } from '#server/outward/callbacks/signature.ts'
import type { AlertChannelRow } from './channels.store.ts'
import type { Mailing } from './mailing.ts'
import { alertTitle } from './texts.ts'

/** What became of it. `final`: the other side wants no more. */
export type Sent = { delivered: boolean; final: boolean; detail: string | null }

const MOST_DETAIL = 300
const MOST_SUBJECT = 150

/** Sends it once. Resolves within 15 s, to `undefined` if the server stops. */
export async function sendToChannel(
  { posting, mailing }: { posting: Pick<Posting, 'post'>; mailing: Pick<Mailing, 'send'> },
  channel: AlertChannelRow,
  webhook_id: string,
  json: string,
  now_ms: number,
): Promise<Sent | undefined> {
  const { company_id } = channel
  const written = JSON.parse(json) as AlertBody
  const { text } = written
  if (channel.kind === 'email') {
    const to = JSON.parse(channel.recipient!) as string[]
    const subject = cutText(alertTitle(written), MOST_SUBJECT)
    const mailed = await mailing.send({ id: webhook_id, to, subject, text })
    if (mailed === undefined) return undefined
    const { delivered, detail } = mailed
    return { delivered, final: delivered, detail: detail && cutText(detail, MOST_DETAIL) }
  }
  const { url, body, type, headers } = requestTo(channel, webhook_id, { json, text }, now_ms)
  const outcome = await posting.post({ company_id, url, body, type, reads_answer: true }, headers)
  if (outcome === undefined) return undefined
  const { result, status, error, answer } = outcome
  if (result === 'delivered') return { delivered: true, final: true, detail: null }
  const words = answer?.trim()
  const said = words ? `${status} ${words}` : (error ?? String(status))
  return {
    delivered: false,
    final: result === 'dead',
    detail: cutText(withoutToken(said, channel), MOST_DETAIL),
  }
}

function requestTo(
  { kind, url: base, recipient, token, webhook_secret }: AlertChannelRow,
  webhook_id: string,
  { json, text }: { json: string; text: string },
  now_ms: number,
) {
  const url = base.replace(/\/+$/, '')
  if (kind === 'webhook') {
    const headers = signatureHeaders([webhook_secret!], webhook_id, now_ms, json)
    return { url: base, body: json, type: 'application/json', headers }
  }
  if (kind === 'telegram') {
    const body = JSON.stringify({ chat_id: recipient, text })
    return { url: `${url}/bot${token}/sendMessage`, body, type: 'application/json', headers: {} }
  }
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  return { url: `${url}/${recipient}`, body: text, type: 'text/plain; charset=utf-8', headers }
}

/** The other side may repeat the request. */
function withoutToken(said: string, { token }: AlertChannelRow): string {
  return token === null ? said : said.replaceAll(token, '[token]')
}
