/** Limits at which the endpoint refuses, waits or cuts. `_ms` are milliseconds, `_bytes` bytes, the others counts. */
export const LIMITS = {
  /** Admitted connections. */
  publishers: 20_000,
  listeners: 2_000,
  /**
   * Connections that are not admitted yet. The limit per address is generous, because one address may have thousands of
   * clients behind it. At either limit, the connection that was silent longest is ended: real clients send CONNECT at
   * once.
   */
  pending: 4_096,
  pending_per_address: 2_048,
  /** CONNECTs checked in one turn of the event loop. After a restart thousands of clients send theirs at once. */
  asked_at_once: 16,
  /** The time from the connection to a whole CONNECT, including the TLS handshake. */
  connect_ms: 5_000,
  /** How long a client has to read the reason for the end and close its side. */
  linger_ms: 1_000,
  /** How often keep-alives, timeouts and slow readers are checked: one timer for all connections. */
  sweep_ms: 500,
  /** The burst and the rate of packets and WebSocket pings per connection. Packets above them wait unread. */
  packets: 1_000,
  packets_per_sec: 1_000,
  /** The payload of one PUBLISH. */
  payload_bytes: 64 * 1024,
  /** Packets of one publisher that wait for `received`. At either limit, its socket is not read. */
  waiting_packets: 100,
  waiting_bytes: 256 * 1024,
  /** Packets of one publisher that `delay` holds back, of as many bytes again. Its other packets are still read. */
  held_packets: 1_000,
  /** Messages sent to one publisher and not acknowledged. */
  unacknowledged: 100,
  /**
   * Ended connections of one name whose last packets are still being processed. Above this, the next CONNECT is
   * refused.
   */
  unfinished_per_name: 8,
  /** Bytes that a client leaves unread. Above the first limit it has `drain_ms`, above the second it is cut at once. */
  unsent_bytes: 256 * 1024,
  most_unsent_bytes: 1024 * 1024,
  drain_ms: 5_000,
  /** The time between WebSocket pings to a listener. A listener that did not answer the last one is cut. */
  ping_ms: 30_000,
}

export type Limits = Readonly<typeof LIMITS>
