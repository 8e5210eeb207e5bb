import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { keyHolderById } from '#server/accounts/api-keys/authenticating.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { DoorFault, type DoorRefusal } from '#server/outward/doors/refusals.ts'
import type { DoorSubmission } from '#server/outward/doors/submitting.ts'
import { taskRowByGuid } from '#server/tasks/task.ts'

type Needs = { db: Database; clock: Clock; log: Logger; submission: DoorSubmission }
type Answered = { company_id: number; webhook_id: string; body: string; api_key_id: number | null }

/** The most messages of one answer that are sent. */
const MOST = 10

/**
 * Sends what a program answered to a received SMS in Twilio's way, to its sender and from the same SIM. The guid of each
 * message is made from the callback, so that a repeated callback sends nothing twice. The key needs `tasks:write`.
 * Resolves to false if a message cannot be taken now, so that the callback is tried again.
 */
export function openReplies({ db, clock, log, submission }: Needs) {
  return async ({ company_id, webhook_id, body, api_key_id }: Answered, answer: string): Promise<boolean> => {
    if (api_key_id === null) return true
    const texts = readMessages(answer)
    if (texts.length === 0) return true
    const holder = await keyHolderById(db.read, company_id, api_key_id, instant(clock.now()))
    if (!holder?.may.includes('tasks:write')) {
      log.info({ api_key_id }, 'An answer to a received SMS was not sent, because its key may not send')
      return true
    }
    const received = new URLSearchParams(body)
    const from_number = await submission.simOf(company_id, received.get('To') ?? '')
    const caller = { ...holder, address: '' }
    for (const [index, text] of texts.entries()) {
      const guid = `SM${createHash('md5').update(`${webhook_id} ${index}`).digest('hex')}`
      const sms = { text, ...(from_number && { from_number }) }
      // An earlier try has sent it, perhaps with another text.
      if (await taskRowByGuid(db.read, company_id, guid)) continue
      const refused = await refusalOf(
        submission.each(caller, [{ to: received.get('From') ?? '', guid }], sms),
      )
      if (refused === 'unavailable' || refused === 'too_fast') return false
      if (refused) log.info({ api_key_id, why: refused }, 'An answer to a received SMS was refused')
    }
    return true
  }
}

/** Why the only recipient was refused, if so. */
async function refusalOf(submitting: ReturnType<DoorSubmission['each']>): Promise<DoorRefusal | undefined> {
  try {
    return (await submitting)[0]?.refused
  } catch (error) {
    if (error instanceof DoorFault) return error.why
    throw error
  }
}

/** The texts of the first ten `<Message>` elements with a text, each either directly or in its `<Body>`. */
export function readMessages(twiml: string): string[] {
  const texts = elements(twiml, 'Message').map((inside) => {
    const [body = inside] = elements(inside, 'Body')
    return decode(body).trim()
  })
  return texts
    .filter((text) => text !== '')
    .take(MOST)
    .toArray()
}

/**
 * The content of each element of this name. Like `decode`, this only moves forward: a regular expression takes many
 * seconds for a hostile answer of 64 KiB.
 */
function* elements(xml: string, name: string): Generator<string> {
  const [opener, closer] = [`<${name}`, `</${name}>`]
  let at = 0
  while ((at = xml.indexOf(opener, at)) >= 0) {
    at += opener.length
    if (/\w/.test(xml.charAt(at))) continue
    const tag_end = xml.indexOf('>', at)
    const end = tag_end < 0 ? -1 : xml.indexOf(closer, tag_end + 1)
    if (end < 0) return
    yield xml.slice(tag_end + 1, end)
    at = end + closer.length
  }
}

const CDATA = '<![CDATA['
const CDATA_END = ']]>'

/** The text without its tags. A `<` without a later `>` is text. */
function decode(xml: string): string {
  const last_cdata_end = xml.lastIndexOf(CDATA_END)
  let text = ''
  let from = 0
  for (;;) {
    const tag = xml.indexOf('<', from)
    const tag_end = tag < 0 ? -1 : xml.indexOf('>', tag)
    if (tag_end < 0) return text + replaceEntities(xml.slice(from))
    text += replaceEntities(xml.slice(from, tag))
    const inside = tag + CDATA.length
    if (inside <= last_cdata_end && xml.slice(tag, inside).toUpperCase() === CDATA) {
      const end = xml.indexOf(CDATA_END, inside)
      text += xml.slice(inside, end)
      from = end + CDATA_END.length
    } else from = tag_end + 1
  }
}

const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function replaceEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (all, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED.get(name) ?? all
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : ''
    },
  )
}
