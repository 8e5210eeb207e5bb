import { createHash } from 'node:crypto'
import { DecodingError } from '@sdd/sms/octets.ts'
import { decodePdu, type Pdu } from '@sdd/sms/pdu.ts'
import type { Deliver } from '@sdd/sms/pdu-deliver.ts'
import type { StatusReport } from '@sdd/sms/pdu-status-report.ts'
import type { Keeper } from '#agent/driver.ts'

/** A short message of type 0: acknowledged, and not shown to anyone (3GPP TS 23.040 section 9.2.3.9). */
const TYPE_0 = 0x40

/**
 * Hands a PDU to the keeper, and settles when it is on disk. False for an outgoing message, which the agent must
 * neither keep nor delete. An unreadable PDU is handed on as it is, so that it is not lost and does not fill the SIM.
 */
export async function keepPdu(
  keeper: Pick<Keeper, 'received' | 'receivedPart' | 'delivery'>,
  hex: string,
  now: string,
  sim: string | undefined,
): Promise<boolean> {
  const pdu = read(hex)
  if (pdu === undefined) {
    const text = `[An SMS that cannot be read: ${hex}]`
    await keeper.received({ id: fingerprint([hex]), from: 'unknown', text, at: now, ...(sim && { sim }) })
    return true
  }
  if (pdu.type === 'submit') return false
  if (pdu.type === 'status-report') await keepReport(keeper, pdu, now)
  else if (pdu.pid !== TYPE_0) await keepMessage(keeper, pdu, now, sim)
  return true
}

/** The network's timestamp, for sorting; the empty text if the PDU has none. */
export function timeOf(hex: string): string {
  const pdu = read(hex)
  const timestamp = pdu && pdu.type !== 'submit' ? pdu.timestamp : null
  return timestamp === null || timestamp === undefined ? '' : new Date(timestamp).toISOString()
}

function read(hex: string): Pdu | undefined {
  try {
    return decodePdu(hex)
  } catch (error) {
    if (error instanceof DecodingError) return undefined
    throw error
  }
}

async function keepMessage(
  keeper: Pick<Keeper, 'received' | 'receivedPart'>,
  sms: Deliver,
  now: string,
  sim: string | undefined,
): Promise<void> {
  const { number, timestamp, concat } = sms
  const text = sms.text ?? dataText(sms)
  const from = number || 'unknown'
  const at = timestamp === null ? now : new Date(timestamp).toISOString()
  // Not a hash of the whole PDU: the network changes a bit of it when it sends it again.
  const id = fingerprint([
    from,
    timestamp ?? '',
    text,
    concat ? [concat.ref, concat.n, concat.of].join() : '',
  ])
  const timeless = timestamp === null
  const kept = { id, from, text, at, ...(sim && { sim }), ...(timeless && { timeless }) }
  if (concat && concat.of > 1) await keeper.receivedPart({ ...kept, concat })
  else await keeper.received(kept)
}

/** MMS notifications, ringing tones and other data messages. */
function dataText({ ports, data }: Deliver): string {
  const port = ports ? ` to port ${ports.destination}` : ''
  return `[Data${port}: ${Buffer.from(data ?? []).toString('hex')}]`
}

async function keepReport(
  keeper: Pick<Keeper, 'delivery'>,
  report: StatusReport,
  now: string,
): Promise<void> {
  const { reference, number, discharge, timestamp, status, state, sentence } = report
  if (state === 'unknown') return
  const at = discharge ?? timestamp
  await keeper.delivery({
    reference: String(reference),
    to: number || null,
    state,
    at: at === null ? now : new Date(at).toISOString(),
    code: `0x${status.toString(16).padStart(2, '0')}`,
    detail: sentence,
  })
}

function fingerprint(values: string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32)
}
