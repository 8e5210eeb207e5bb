export type ModemSettings = {
  /**
   * The modem's device file. A path below /dev/serial/by-id stays the same in every socket. With a `*` at its end it
   * matches several ports of one modem, and the best port is used.
   */
  port: string
  /** Bits per second; 115200 by default. */
  baud?: number
  /** Tried once; a second try with a wrong PIN would bring the SIM closer to its PUK. */
  pin?: string
  /** The SIM's number, if the SIM does not store it. */
  number?: string
  /** The number of the operator's SMS centre, if the SIM has none. */
  smsc?: string | undefined
  /** The codes of `+CMS ERROR` by which the operator says that the SIM has no credit. */
  no_credit?: readonly number[] | undefined
  /** Between the prompt and the PDU, and between the PDU and Ctrl-Z; 150 by default. */
  gap_ms?: number
}

/** The codes in a list such as `21,50`. */
export function codesOf(list: string | undefined): number[] {
  return list === undefined ? [] : list.split(',').map(Number)
}
