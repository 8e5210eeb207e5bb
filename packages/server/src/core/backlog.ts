/**
 * Connections that the operating system holds until they are taken; it may have a lower limit of its own
 * (`net.core.somaxconn`). With Node's 511, of a fleet that comes back at once many would try again after a second, and
 * so would whoever comes at the same time.
 */
export const BACKLOG = 4_096
