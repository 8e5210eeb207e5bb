/** Why a CONNECT was refused. */
export type Denial = 'protocol' | 'session' | 'unavailable' | 'credentials' | 'forbidden'

/** Why a connection ended. */
export type Cause =
  | 'disconnect' // it sent DISCONNECT
  | 'closed' // without a DISCONNECT
  | 'refused' // its CONNECT was refused
  | 'no_connect' // 5 s without a whole CONNECT
  | 'breach' // it broke the protocol
  | 'keep_alive' // silent for 1.5 times its keep-alive, or a ping unanswered
  | 'slow' // it does not read
  | 'crowded' // too many waited to be admitted, and it was silent longest
  | 'replaced' // by a newer connection of its name
  | 'failed' // a packet of it could not be processed
  | 'cut' // its access was revoked
  | 'stopped' // with the endpoint

/** Counts since the start. */
export type Tally = {
  /** `crowded`: ended before it could send its CONNECT. `upgrade`: refused as a WebSocket for MQTT. */
  readonly refused: Record<Denial | 'crowded' | 'upgrade', number>
  readonly ended: Record<Cause, number>
  /** How often a connection exceeded its rate and was not read for a while. */
  slowed: number
}

export function newTally(): Tally {
  return {
    refused: {
      protocol: 0,
      session: 0,
      unavailable: 0,
      credentials: 0,
      forbidden: 0,
      crowded: 0,
      upgrade: 0,
    },
    ended: {
      disconnect: 0,
      closed: 0,
      refused: 0,
      no_connect: 0,
      breach: 0,
      keep_alive: 0,
      slow: 0,
      crowded: 0,
      replaced: 0,
      failed: 0,
      cut: 0,
      stopped: 0,
    },
    slowed: 0,
  }
}
