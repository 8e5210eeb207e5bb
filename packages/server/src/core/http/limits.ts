/** Where the HTTP server refuses or cuts. `_ms` are milliseconds, `_bytes` bytes, the others count. */
export const LIMITS = {
  /**
   * Connections that are no WebSocket, in all and of one address. At either, the one that has waited longest for its
   * client gives way, so that who asks is answered however many others hold connections. Generous for one address: a
   * proxy, or a whole fleet, may be behind one.
   */
  connections: 4_096,
  connections_per_address: 2_048,
  /** Requests of one connection that wait for the one before them to be answered. */
  waiting_requests: 32,
  /** From the first byte of a connection, or of a further request, to the end of the headers; to the end of the body. */
  headers_ms: 10_000,
  request_ms: 30_000,
  /** How long a connection is kept for a further request. */
  idle_ms: 75_000,
  /** How long a client may take nothing of its answer. */
  unread_ms: 30_000,
  /** How often `headers_ms` and `request_ms` are looked at. */
  check_ms: 1_000,
  handshake_ms: 10_000,
  /** Request line and headers; how many headers. */
  header_bytes: 16 * 1024,
  headers: 100,
  /** A body, and one that asks without a session; bodies that are being read, in all. */
  body_bytes: 1024 * 1024,
  stranger_body_bytes: 16 * 1024,
  bodies_bytes: 32 * 1024 * 1024,
  /** Files that are being sent: to one user, and in all. */
  files_per_user: 4,
  files: 32,
}

export type Limits = Readonly<typeof LIMITS>
