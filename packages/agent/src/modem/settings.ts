export type ModemSettings = {
  /**
   * The modem's device file. One below /dev/serial/by-id is found again wherever it is plugged in. With a `*` at its end
   * it stands for several ports of one modem: the one that speaks best is taken.
   */
  port: string
  /** Bits a second; 115200 where it is not said. */
  baud?: number
  /** Tried once; a second try with a wrong one would bring the SIM nearer to its PUK. */
  pin?: string
  /** The SIM's number, where it does not know it itself. */
  number?: string
  /** The number of the operator's SMS centre, where the SIM has none. */
  smsc?: string
  /** Between the prompt and the PDU, and between the PDU and Ctrl-Z; 150 where it is not said. */
  gap_ms?: number
}
