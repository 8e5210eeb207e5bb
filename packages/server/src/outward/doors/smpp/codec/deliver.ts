import { encodeGsm7, isGsm7 } from '@sdd/sms/gsm7.ts'
import { parameter, TAG, text } from './octets.ts'
import { CODING } from './texts.ts'

/** The outcome of an SMS, for the program that submitted it. */
type Receipt = {
  message_id: string
  /** The recipient of the SMS, and its sender if it had one. */
  to: string
  from: string
  submitted_at: string
  done_at: string
  stat: string
  message_state: number
  /** The text of the SMS. */
  written: string
}

const IS_RECEIPT = 0x04
const MOST_SHORT = 254
const DELIVERED = 'DELIVRD'

/** The body of a `deliver_sm` with a received SMS. */
export function writeReceived({ from, to, written }: { from: string; to: string; written: string }): Buffer {
  const [data_coding, octets] = isGsm7(written)
    ? [CODING.gsm7, Buffer.from(encodeGsm7(written))]
    : [CODING.ucs2, Buffer.from(written, 'utf16le').swap16()]
  const long = octets.length > MOST_SHORT
  const payload = long ? [parameter(TAG.message_payload, octets)] : []
  return bodyOf({ from, to, esm_class: 0, data_coding, message: long ? Buffer.alloc(0) : octets }, payload)
}

/** The body of a `deliver_sm` with a receipt, whose text has the form that SMPP 3.4 recommends in appendix B. */
export function writeReceipt(receipt: Receipt): Buffer {
  const { message_id, to, from, submitted_at, done_at, stat, message_state, written } = receipt
  const sentence = [
    `id:${message_id}`,
    'sub:001',
    `dlvrd:${stat === DELIVERED ? '001' : '000'}`,
    `submit date:${minuteOf(submitted_at)}`,
    `done date:${minuteOf(done_at)}`,
    `stat:${stat}`,
    'err:000',
    `text:${[...written].slice(0, 20).map(inGsm7).join('')}`,
  ].join(' ')
  const message = Buffer.from(encodeGsm7(sentence))
  return bodyOf({ from: to, to: from, esm_class: IS_RECEIPT, data_coding: CODING.gsm7, message }, [
    parameter(TAG.receipted_message_id, text(message_id)),
    parameter(TAG.message_state, Buffer.of(message_state)),
  ])
}

function inGsm7(character: string): string {
  return isGsm7(character) ? character : '?'
}

/** `YYMMDDhhmm` in UTC. */
function minuteOf(instant: string): string {
  return instant.replaceAll(/\D/g, '').slice(2, 12)
}

type Fields = { from: string; to: string; esm_class: number; data_coding: number; message: Buffer }

function bodyOf(
  { from, to, esm_class, data_coding, message }: Fields,
  parameters: readonly Buffer[],
): Buffer {
  return Buffer.concat([
    text(''),
    address(from),
    address(to),
    Buffer.of(esm_class, 0, 0),
    text(''),
    text(''),
    Buffer.of(0, 0, data_coding, 0, message.length),
    message,
    ...parameters,
  ])
}

const MOST_ADDRESS = 20
const ISDN = 1

/** Type 1 is an international number, without its `+`; type 5 a name. */
function address(written: string): Buffer {
  const [ton, npi, value] = written.startsWith('+')
    ? [1, ISDN, written.slice(1)]
    : /^\d*$/.test(written)
      ? [0, ISDN, written]
      : [5, 0, [...written].map(inLatin1).join('')]
  return Buffer.concat([Buffer.of(ton, npi), text(value.slice(0, MOST_ADDRESS))])
}

function inLatin1(character: string): string {
  return /^[\x20-\x7e\xa0-\xff]$/.test(character) ? character : '?'
}
