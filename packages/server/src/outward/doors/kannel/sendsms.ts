import { instant } from '#server/core/clock.ts'
import { writeTarget } from '#server/tasks/report-target.ts'
import { CallbackUrl } from '@sdd/contract/core/fields.ts'
import type { DoorSms, Recipient } from '#server/outward/doors/submitting.ts'
import type { KannelFields } from './fields.ts'

/** A request that Kannel would refuse with this text and the status 400. */
export class Misformed extends Error {
  override readonly name = 'Misformed'

  constructor(field: string) {
    super(`${field} misformed, rejected`)
  }
}

type Read = { recipients: Recipient[]; sender: string; sms: DoorSms }

/** Reads the fields of `sendsms`. Throws `Misformed`. */
export function readSendsms(fields: KannelFields, now_ms: number): Read {
  const coding = readCoding(fields.get('coding'))
  for (const [name, said] of UNSUPPORTED) if (fields.get(name) !== '') throw new Misformed(`${said} field`)
  const deferred = minutes(fields.get('deferred'))
  const validity = minutes(fields.get('validity'))
  const callback_url = readReport(fields)
  return {
    recipients: [...new Set(fields.get('to').split(/[\s,]+/))].filter(Boolean).map((to) => ({ to })),
    sender: fields.get('from'),
    sms: {
      text: readText(fields.bytes('text'), fields.get('charset'), coding),
      ...(deferred && { not_before: instant(now_ms + deferred * 60_000) }),
      ...(validity !== undefined && { expires_at: instant(now_ms + validity * 60_000) }),
      ...(callback_url !== undefined && { callback_url }),
    },
  }
}

const UNSUPPORTED = [
  ['udh', 'UDH'],
  ['mclass', 'MClass'],
  ['mwi', 'MWI'],
] as const

/** 0: GSM-7. 2: UCS-2. The text decides the coding of the SMS; this one only says how the request is written. */
function readCoding(written: string): 0 | 2 {
  if (written === '' || written === '0') return 0
  if (written === '2') return 2
  throw new Misformed('Coding field')
}

function readText(bytes: Buffer | undefined, charset: string, coding: 0 | 2): string {
  try {
    return new TextDecoder(charset || (coding === 2 ? 'utf-16be' : 'utf-8'), { fatal: true }).decode(bytes)
  } catch {
    throw new Misformed('Charset or body')
  }
}

/** A year of minutes has 6 digits; the tasks API refuses what lies further ahead. */
function minutes(written: string): number | undefined {
  if (written === '') return undefined
  if (!/^\d{1,9}$/.test(written.trim())) throw new Misformed('Validity field')
  return Number(written)
}

/** The reports that the program wants, as a `callback_url`. */
function readReport(fields: KannelFields): string | undefined {
  const [mask, url] = [fields.get('dlr-mask').trim(), fields.get('dlr-url').trim()]
  if (mask !== '' && !/^\d{1,3}$/.test(mask)) throw new Misformed('DLR mask field')
  if (Number(mask) === 0 || url === '') return undefined
  if (!CallbackUrl.safeParse(url).success) throw new Misformed('DLR-URL field')
  return writeTarget({ format: 'kannel', argument: mask, url })
}
