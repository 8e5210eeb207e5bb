/** Where the server refuses a request or cuts a connection. `_ms` are milliseconds, `_bytes` bytes, the others count. */
export const LIMITS = {
  /**
   * Connections other than WebSockets, in all and of one address. At either limit, the connection that has waited longest
   * for its client gives way, so newcomers are answered however many connections others hold. Generous for one address: a
   * proxy, or thousands of clients, may be behind it.
   */
  connections: 4_096,
  connections_per_address: 2_048,
  /** Requests of one connection that wait for an earlier one to be answered. */
  waiting_requests: 32,
  /** From the first byte of a connection, or of a further request, to the end of the headers; to the end of the body. */
  headers_ms: 10_000,
  request_ms: 30_000,
  /** How long a connection is kept for a further request. */
  idle_ms: 75_000,
  /** How long a client may take nothing of its answer. */
  unread_ms: 30_000,
  /** How often the times above are checked. */
  check_ms: 1_000,
  handshake_ms: 10_000,
  /** Request line and headers; how many headers. */
  header_bytes: 16 * 1024,
  headers: 100,
  /** Bodies that are being read, in all. How large one may be is the route's to say. */
  bodies_bytes: 32 * 1024 * 1024,
}

export type Limits = Readonly<typeof LIMITS>
