import { NewSms } from '@sdd/contract/messages/messages.ts'

const rule = NewSms.shape.telefono_to

/** The most digits that a number lacks while it is typed. */
const MOST_MISSING = 6

/** What the server's rule finds in a typed number. `incomplete`: it becomes valid with more digits. */
export function numberFault(typed: string): 'incomplete' | 'wrong' | undefined {
  if (typed.trim() === '' || rule.safeParse(typed).success) return undefined
  for (let missing = 1; missing <= MOST_MISSING; missing++)
    if (rule.safeParse(typed + '0'.repeat(missing)).success) return 'incomplete'
  return 'wrong'
}
