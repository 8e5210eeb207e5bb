/** The commands of SMPP 3.4 that this door knows, by their `command_id`. */
export const COMMAND = {
  bind_receiver: 0x01,
  bind_transmitter: 0x02,
  query_sm: 0x03,
  submit_sm: 0x04,
  deliver_sm: 0x05,
  unbind: 0x06,
  cancel_sm: 0x08,
  bind_transceiver: 0x09,
  enquire_link: 0x15,
} as const

/** Set in the `command_id` of a response. */
export const RESPONSE = 0x8000_0000
export const GENERIC_NACK = 0x8000_0000

/** Values of `command_status`. Those of refusals that all doors share are in refusals.ts. */
export const STATUS = {
  ok: 0x00,
  bad_message_length: 0x01,
  bad_command_length: 0x02,
  bad_command: 0x03,
  wrong_state: 0x04,
  already_bound: 0x05,
  system_error: 0x08,
  bad_message_id: 0x0c,
  bind_failed: 0x0d,
  cancel_failed: 0x11,
  queue_full: 0x14,
  bad_esm_class: 0x43,
  submit_failed: 0x45,
  bad_replace_flag: 0x54,
  throttled: 0x58,
  bad_schedule: 0x61,
  bad_validity: 0x62,
  bad_default_message: 0x63,
  query_failed: 0x67,
} as const

/** A refusal in SMPP's words: the `command_status` of the response. */
export class SmppFault extends Error {
  override readonly name = 'SmppFault'
  readonly status: number

  constructor(status: number) {
    super(`command_status ${status}`)
    this.status = status
  }
}
