import type { MessageClass } from '@sdd/contract/core/fields.ts'

/** The `priority` of a message from another system, by its class. On a device, lower goes first. */
export const CLASS_PRIORITY: Record<MessageClass, number> = { code: -1, transactional: 1, marketing: 2 }

/** The `priority` of a message that a person wrote: transactional, but ahead of other systems' messages. */
export const PERSON_PRIORITY = 0

/** The class of a message. Only the priority is stored, which decides the order on a device. */
export function classOf({ priority }: { priority: number }): MessageClass {
  if (priority === CLASS_PRIORITY.code) return 'code'
  return priority === CLASS_PRIORITY.marketing ? 'marketing' : 'transactional'
}
