import type { MessageClass } from '@sdd/contract/core/fields.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import { classOf } from '#server/messages/messages/classes.ts'

type Submitter = Caller | KeyCaller

/** The class of a task that names none: the only one that its API key may send, otherwise `transactional`. */
export function usualClass(caller: Submitter): MessageClass {
  if (!('classes' in caller)) return 'transactional'
  return caller.classes.length === 1 ? caller.classes[0]! : 'transactional'
}

/** The refusal of a task whose class the API key may not send. */
export function refuseClass(caller: Submitter, task: { priority: number }): Refusal | undefined {
  if (!('classes' in caller)) return undefined
  const wanted = classOf(task)
  const { classes, name } = caller
  if (classes.includes(wanted)) return undefined
  return new Refusal(
    'class_forbidden',
    `The API key ${name} may only send ${classes.join(', ')}: use one that may send ${wanted}, or name another class.`,
    { params: { class: wanted, classes: [...classes] } },
  )
}
