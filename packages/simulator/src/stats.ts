/** Counters of a fleet in this process; the ledger has earlier runs. */
export type Stats = {
  /** Devices whose `connected` status is committed at this moment. */
  connected: number
  connections: number
  refused: number
  /** Send commands without repetitions, and the repetitions. */
  commands: number
  repeated: number
  cancels: number
  on_air: number
  sent: number
  delivered: number
  undelivered: number
  failed: number
  uncertain: number
  replies: number
  crashes: number
}

export function emptyStats(): Stats {
  return {
    connected: 0,
    connections: 0,
    refused: 0,
    commands: 0,
    repeated: 0,
    cancels: 0,
    on_air: 0,
    sent: 0,
    delivered: 0,
    undelivered: 0,
    failed: 0,
    uncertain: 0,
    replies: 0,
    crashes: 0,
  }
}
