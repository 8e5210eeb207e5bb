/** Where the endpoint refuses, waits or cuts. `_ms` are milliseconds, `_bytes` bytes, the others count. */
export const LIMITS = {
  /** Admitted connections. */
  publishers: 20_000,
  listeners: 2_000,
  /**
   * Connections that are not admitted yet. Generous for one address: thousands of clients may sit behind one. At either, the
   * one that has kept silent longest gives way: a client with something to say says it at once.
   */
  pending: 4_096,
  pending_per_address: 2_048,
  /** CONNECTs that are looked at in one turn of the event loop: after a restart thousands of clients send theirs at once. */
  asked_at_once: 16,
  /** From the connection to a whole CONNECT; on TLS the handshake is part of it. */
  connect_ms: 5_000,
  /** How long a client has to read what ended its connection, and to close it. */
  linger_ms: 1_000,
  /** How often keep-alives, time-outs and slow readers are looked at: one timer for all connections. */
  sweep_ms: 500,
  /** Packets and WebSocket pings of one connection: so many at once, and then so many a second; the rest waits unread. */
  packets: 1_000,
  packets_per_sec: 1_000,
  /** Of one PUBLISH. */
  payload_bytes: 64 * 1024,
  /** Packets of one publisher that wait for `received`: past either, its socket is not read. */
  waiting_packets: 100,
  waiting_bytes: 256 * 1024,
  /** What one publisher was sent and has not acknowledged. */
  unacknowledged: 100,
  /** Ended connections of one name whose last packets are not through: more, and the next CONNECT is refused. */
  unfinished_per_name: 8,
  /** Bytes that a client leaves unread: past the first it has `drain_ms`, past the second it is cut at once. */
  unsent_bytes: 256 * 1024,
  most_unsent_bytes: 1024 * 1024,
  drain_ms: 5_000,
  /** Between WebSocket pings to a listener; one that left the last ping unanswered is dead. */
  ping_ms: 30_000,
}

export type Limits = Readonly<typeof LIMITS>
