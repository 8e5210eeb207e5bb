import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { keyHolderById } from '#server/accounts/api-keys/authenticating.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { DoorSubmission } from '#server/outward/doors/submitting.ts'

type Needs = { db: Database; clock: Clock; log: Logger; submission: DoorSubmission }
type Answered = { company_id: number; webhook_id: string; body: string; api_key_id: number | null }

/** No answer sends more messages. */
const MOST = 10

/**
 * Sends what a program answered to a received SMS in Twilio's way, to its sender and from the same SIM. The guid of each
 * message is made from the callback, so that a repeated callback sends nothing twice. The key needs `tasks:write`.
 */
export function openReplies({ db, clock, log, submission }: Needs) {
  return async ({ company_id, webhook_id, body, api_key_id }: Answered, answer: string): Promise<void> => {
    const texts = readMessages(answer).slice(0, MOST)
    if (texts.length === 0 || api_key_id === null) return
    const holder = await keyHolderById(db.read, company_id, api_key_id, instant(clock.now()))
    if (!holder?.may.includes('tasks:write')) {
      return log.info(
        { api_key_id },
        'An answer to a received SMS was not sent, because its key may not send',
      )
    }
    const received = new URLSearchParams(body)
    const from_number = await submission.simOf(company_id, received.get('To') ?? '')
    const caller = { ...holder, address: '' }
    for (const [place, text] of texts.entries()) {
      const guid = `SM${createHash('md5').update(`${webhook_id} ${place}`).digest('hex')}`
      const sms = { text, ...(from_number && { from_number }) }
      const [done] = await submission.each(caller, [{ to: received.get('From') ?? '', guid }], sms)
      if (done?.refused)
        log.info({ api_key_id, why: done.refused }, 'An answer to a received SMS was refused')
    }
  }
}

/** The texts of `<Message>` elements, each either directly or in its `<Body>`. */
export function readMessages(twiml: string): string[] {
  const texts = twiml.matchAll(/<Message\b[^>]*>([^]*?)<\/Message>/g)
  return Array.from(texts, ([, inside = '']) => {
    const [, body = inside] = /<Body\b[^>]*>([^]*?)<\/Body>/.exec(inside) ?? []
    return decode(body).trim()
  }).filter((text) => text !== '')
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(xml: string): string {
  return xml.replace(
    /<!\[CDATA\[([^]*?)\]\]>|<[^>]*>|&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (all, cdata?: string, hex?: string, decimal?: string, name?: string) => {
      if (cdata !== undefined) return cdata
      if (name !== undefined) return NAMED[name] ?? all
      if (hex === undefined && decimal === undefined) return ''
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : ''
    },
  )
}
