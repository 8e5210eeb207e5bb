import type { ConversationMessage } from '@sdd/contract/people/conversations.ts'

const WAS_SENT: readonly (string | null)[] = ['sent', 'delivered', 'replied']

/** The device and SIM by which the last message came or went, as the server chooses them for an answer. */
export function usualDevice(
  messages: readonly ConversationMessage[],
): { uid: string; sim: string | null } | undefined {
  const last = messages.findLast(({ direction, state }) => direction === 'in' || WAS_SENT.includes(state))
  return last?.device_uid ? { uid: last.device_uid, sim: last.sim } : undefined
}
