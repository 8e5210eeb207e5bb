/**
 * Connections that the operating system queues until the server accepts them. Its own limit (`net.core.somaxconn`) may
 * be lower. With Node's default of 511, many devices of a fleet that reconnects at once would retry only after a
 * second. So would other clients that connect at that moment.
 */
export const BACKLOG = 4_096
