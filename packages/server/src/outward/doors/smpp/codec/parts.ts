import { DecodingError } from '@sdd/sms/octets.ts'
import { concatOf, readElements } from '@sdd/sms/udh.ts'
import { SmppFault, STATUS } from './commands.ts'
import type { Submit } from './pdus.ts'
import { decodeText } from './texts.ts'

/** The place of a part in its SMS. Parts of one SMS share `reference`. */
export type PartPlace = { reference: string; n: number; of: number }

/** The octets of a text and, if it is one of several, its place. */
export type Piece = { octets: Buffer; data_coding: number; part: PartPlace | undefined }

const HAS_HEADER = 0x40
/** The message mode and the reply path change nothing here. Other bits make it no SMS of a program. */
const MESSAGE_TYPE = 0x3c

/**
 * Reads the place from the user-data header or the `sar_` parameters. Throws a `SmppFault` for a header that says
 * anything else: no device sends such an SMS.
 */
export function readPiece(submit: Submit): Piece {
  const { esm_class, message, data_coding, sar } = submit
  if ((esm_class & MESSAGE_TYPE) !== 0) throw new SmppFault(STATUS.bad_esm_class)
  if ((esm_class & HAS_HEADER) === 0) {
    const part = sar && placeOf(submit, 'sar', sar)
    return { octets: message, data_coding, part }
  }
  const end = 1 + (message[0] ?? Infinity)
  if (end > message.length) throw new SmppFault(STATUS.bad_esm_class)
  const place = concatIn(Uint8Array.from(message.subarray(1, end)))
  return {
    octets: message.subarray(end),
    data_coding,
    part: placeOf(submit, `udh${place.refBits}`, place),
  }
}

function concatIn(header: Uint8Array<ArrayBuffer>) {
  try {
    const elements = readElements(header, 0)
    const place = elements.length === 1 ? concatOf(elements) : null
    if (place) return place
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error
  }
  throw new SmppFault(STATUS.bad_esm_class)
}

function placeOf(
  { source, destination }: Submit,
  kind: string,
  { ref, n, of }: { ref: number; n: number; of: number },
): PartPlace | undefined {
  if (n === 0 || n > of) throw new SmppFault(STATUS.bad_esm_class)
  if (of === 1) return undefined
  return { reference: JSON.stringify([source, destination, kind, ref, of]), n, of }
}

/** The text of all parts, in order. A character may be cut in two where parts of the same alphabet meet. */
export function joinText(parts: readonly Pick<Piece, 'octets' | 'data_coding'>[]): string {
  let text = ''
  for (let at = 0; at < parts.length;) {
    const { data_coding } = parts[at]!
    const run: Buffer[] = []
    while (parts[at]?.data_coding === data_coding) run.push(parts[at++]!.octets)
    text += decodeText(data_coding, Buffer.concat(run))
  }
  return text
}
