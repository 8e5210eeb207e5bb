import { createHash } from 'node:crypto'
import { DecodingError } from '@sdd/sms/octets.ts'
import { decodePdu, type Pdu } from '@sdd/sms/pdu.ts'
import type { Deliver } from '@sdd/sms/pdu-deliver.ts'
import type { StatusReport } from '@sdd/sms/pdu-status-report.ts'
import type { Keeper } from '#agent/driver.ts'

/** A short message of type 0: acknowledged, and shown to nobody (3GPP TS 23.040 section 9.2.3.9). */
const TYPE_0 = 0x40

/**
 * Hands a PDU on to the keeper, and settles when it is on disk. False for what is not the agent's to keep or delete: a
 * message that was to be sent. What nobody can read is handed on as it is, so that it neither is lost nor fills the SIM.
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

/** When the network had it, for putting in order; the empty text where the PDU does not say. */
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
  // Not the whole PDU: the network changes a bit of it when it sends it again.
  const id = fingerprint([
    from,
    timestamp ?? '',
    text,
    concat ? [concat.ref, concat.n, concat.of].join() : '',
  ])
  const kept = { id, from, text, at, ...(sim && { sim }) }
  if (concat && concat.of > 1) await keeper.receivedPart({ ...kept, concat })
  else await keeper.received(kept)
}

/** An MMS notification, ringing tones and their kin. */
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

function fingerprint(of: string[]): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32)
}
