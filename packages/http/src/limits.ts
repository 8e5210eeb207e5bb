/**
 * Limits at which the server refuses a request or cuts a connection. `_ms` are milliseconds, `_bytes` bytes, the others
 * counts.
 */
export const LIMITS = {
  /**
   * Connections other than WebSockets, in total and per address. At either limit, the connection that has waited
   * longest for its client is closed, so that new clients are answered however many connections others hold. The limit
   * per address is generous, because a proxy or thousands of clients may share one.
   */
  connections: 4_096,
  connections_per_address: 2_048,
  /** Requests of one connection that wait for an earlier answer. */
  waiting_requests: 32,
  /** The time from the first byte of a request to the end of its headers, and to the end of its body. */
  headers_ms: 10_000,
  request_ms: 30_000,
  /** How long a connection is kept for another request. */
  idle_ms: 75_000,
  /** How long a client may read nothing of its answer. */
  unread_ms: 30_000,
  /** How often these times are checked. */
  check_ms: 1_000,
  handshake_ms: 10_000,
  /** How long requests in progress may take when the server stops. */
  stop_ms: 5_000,
  /** The size of the request line and headers, and the number of headers. */
  header_bytes: 16 * 1024,
  headers: 100,
  /** The size of all bodies that are being read. The route limits the size of each body. */
  bodies_bytes: 32 * 1024 * 1024,
}

export type Limits = Readonly<typeof LIMITS>
