import { SmppFault, STATUS } from './commands.ts'
import { HEADER_OCTETS } from './frames.ts'
import { openReader, parameter, type Reader, TAG, text } from './octets.ts'

/** The header of a PDU, and its body as octets. */
export type Pdu = { command: number; status: number; sequence: number; body: Buffer }

export function readPdu(frame: Buffer): Pdu {
  return {
    command: frame.readUInt32BE(4),
    status: frame.readUInt32BE(8),
    sequence: frame.readUInt32BE(12),
    body: frame.subarray(HEADER_OCTETS),
  }
}

export function writePdu({ command, status, sequence, body }: Pdu): Buffer {
  const header = Buffer.alloc(HEADER_OCTETS)
  header.writeUInt32BE(HEADER_OCTETS + body.length, 0)
  header.writeUInt32BE(command, 4)
  header.writeUInt32BE(status, 8)
  header.writeUInt32BE(sequence, 12)
  return Buffer.concat([header, body])
}

export type Bind = { system_id: string; password: string; interface_version: number }

/** An API key is longer than the 8 characters that SMPP has for a password, and many clients send it whole. */
const MOST_LOGIN = 256

export function readBind(body: Buffer): Bind {
  const reader = openReader(body)
  const system_id = reader.text(MOST_LOGIN)
  const password = reader.text(MOST_LOGIN)
  reader.text(13)
  return { system_id, password, interface_version: reader.octet() }
}

/** The response to a bind. Clients of SMPP 3.3 know no optional parameters. */
export function writeBindResponse(system_id: string, interface_version: number): Buffer {
  if (interface_version < 0x34) return text(system_id)
  return Buffer.concat([text(system_id), parameter(TAG.sc_interface_version, Buffer.of(0x34))])
}

/** One SMS, or a part of one, as a program submits it. */
export type Submit = {
  source: string
  destination: string
  esm_class: number
  schedule_delivery_time: string
  validity_period: string
  registered_delivery: number
  data_coding: number
  /** The octets of the text, after a user-data header if `esm_class` says so. */
  message: Buffer
  sar: { ref: number; of: number; n: number } | undefined
}

export function readSubmit(body: Buffer): Submit {
  const reader = openReader(body)
  reader.text(6)
  const source = readAddress(reader)
  const destination = readAddress(reader)
  const esm_class = reader.octet()
  // Protocol and priority.
  reader.take(2)
  const schedule_delivery_time = reader.text(17)
  const validity_period = reader.text(17)
  const registered_delivery = reader.octet()
  if (reader.octet() !== 0) throw new SmppFault(STATUS.bad_replace_flag)
  const data_coding = reader.octet()
  if (reader.octet() !== 0) throw new SmppFault(STATUS.bad_default_message)
  const short = reader.take(reader.octet())
  const parameters = reader.parameters()
  const payload = parameters.get(TAG.message_payload)
  if (short.length > 0 && payload !== undefined) throw new SmppFault(STATUS.bad_message_length)
  return {
    source,
    destination,
    esm_class,
    schedule_delivery_time,
    validity_period,
    registered_delivery,
    data_coding,
    message: payload ?? short,
    sar: sarOf(parameters),
  }
}

const INTERNATIONAL = 1

/** An address, with `+` before an international number. */
function readAddress(reader: Reader): string {
  const ton = reader.octet()
  reader.octet()
  const written = reader.text(21)
  return ton === INTERNATIONAL && /^\d/.test(written) ? `+${written}` : written
}

function sarOf(parameters: Map<number, Buffer>): Submit['sar'] {
  const [ref, of, n] = [
    parameters.get(TAG.sar_msg_ref_num),
    parameters.get(TAG.sar_total_segments),
    parameters.get(TAG.sar_segment_seqnum),
  ]
  if (ref?.length !== 2 || of?.length !== 1 || n?.length !== 1) return undefined
  return { ref: ref.readUInt16BE(), of: of[0]!, n: n[0]! }
}

const MESSAGE_ID_OCTETS = 65

/** The `message_id` of a `query_sm` or `cancel_sm`; for the latter, after its `service_type`. */
export function readQuery(body: Buffer): string {
  return openReader(body).text(MESSAGE_ID_OCTETS)
}

/** An empty `message_id` means all messages between two addresses. */
export function readCancel(body: Buffer): string {
  const reader = openReader(body)
  reader.text(6)
  return reader.text(MESSAGE_ID_OCTETS)
}

/** `final_date`: empty if there is none yet. */
export function writeQueryResponse(message_id: string, final_date: string, message_state: number): Buffer {
  return Buffer.concat([text(message_id), text(final_date), Buffer.of(message_state, 0)])
}
