import type { SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import type { MessageRow } from '#server/messages/messages/store.ts'

type Sendable = Pick<
  MessageRow,
  'guid' | 'message' | 'message_to' | 'silent' | 'expires_at' | 'from_number'
> & {
  iccid?: string | null | undefined
}

/** The `send` command of a message: the same each time it is sent, except for the number of the attempt. */
export function sendCommand(message: Sendable, attempt: number): SendCommand {
  const { guid, message_to: to, message: text, silent, expires_at, from_number, iccid } = message
  return {
    type: 'send',
    guid,
    attempt,
    to,
    text,
    ...(from_number !== null && { from: from_number }),
    ...(iccid && { iccid }),
    ...(silent === 1 && { silent: true }),
    expires_at,
  }
}

/** A command without any report is sent again after this long. */
export const RESEND_MS = 30_000
