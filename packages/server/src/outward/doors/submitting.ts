import { SmsText } from '@sdd/contract/core/fields.ts'
import type { NewTask } from '@sdd/contract/tasks/tasks.ts'
import type { Logger } from 'pino'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { KeyCaller, NeedsOf } from '#server/core/context.ts'
import { openTaskSubmission, submitWhole } from '#server/tasks/submission.ts'
import type { Database } from '#server/database/open.ts'
import type { Entry } from './entry.ts'
import { DoorFault, type DoorRefusal, doorRefusalOf, isUnexpected } from './refusals.ts'
import { doorStore } from './store.ts'

type Needs = NeedsOf<typeof openTaskSubmission | typeof submitWhole> & {
  db: Database
  log: Pick<Logger, 'error'>
  numbers: Numbers
}

/** An SMS as a door has read it, for one or several recipients. */
export type DoorSms = Pick<NewTask, 'text'> &
  Partial<Pick<NewTask, 'from_number' | 'not_before' | 'expires_at' | 'callback_url'>>

/** What became of one recipient. */
export type Submitted = { to: string; guid: string; refused?: never } | { to: string; refused: DoorRefusal }

/** Hands in SMS as tasks, in the way of the tasks API. */
export type DoorSubmission = {
  /**
   * One task for each recipient that is not refused. All are on disk. An unexpected error is logged, and refuses its
   * recipient with `unavailable`. `counted`: the door has counted the messages.
   */
  each(
    caller: KeyCaller,
    recipients: readonly Recipient[],
    sms: DoorSms,
    counted?: boolean,
  ): Promise<Submitted[]>
  /** The same for all recipients, or for none of them: rejects with the first refusal. */
  whole(caller: KeyCaller, recipients: readonly Recipient[], sms: DoorSms): Promise<string[]>
  /** The stored form of a sender that is the number of one of the company's SIMs. */
  simOf(company_id: number, sender: string): Promise<string | undefined>
}

/** A written number, and the guid of its task, which is otherwise generated. */
export type Recipient = { to: string; guid?: string }

export function openDoorSubmission(needs: Needs, entry: Pick<Entry, 'countMessages'>): DoorSubmission {
  const submitOne = openTaskSubmission(needs)
  const isNumber = ({ company_id }: KeyCaller, { to }: Recipient) =>
    needs.numbers.kept(company_id, to) !== undefined

  return {
    async each(caller, recipients, sms, counted = false) {
      requireText(sms.text)
      const valid = recipients.filter((recipient) => isNumber(caller, recipient))
      if (valid.length > 0 && !counted) entry.countMessages(caller, valid.length)
      return Promise.all(
        recipients.map(async (recipient): Promise<Submitted> => {
          const { to } = recipient
          try {
            if (!isNumber(caller, recipient)) throw new DoorFault('bad_number')
            const { receipt, durable } = await submitOne(caller, taskOf(recipient, sms))
            await durable
            return { to, guid: receipt.guid }
          } catch (error) {
            // The others may be stored already, and the program would send all of them again.
            if (isUnexpected(error)) needs.log.error({ err: error }, 'A task of a door could not be stored')
            return { to, refused: doorRefusalOf(error) }
          }
        }),
      )
    },
    async whole(caller, recipients, sms) {
      requireText(sms.text)
      if (!recipients.every((recipient) => isNumber(caller, recipient))) throw new DoorFault('bad_number')
      entry.countMessages(caller, recipients.length)
      const receipts = await submitWhole(
        needs,
        caller,
        recipients.map((recipient) => taskOf(recipient, sms)),
      )
      return receipts.map(({ guid }) => guid)
    },
    async simOf(company_id, sender) {
      const number = needs.numbers.kept(company_id, sender)
      if (number === undefined) return undefined
      return (await doorStore(needs.db.read).hasSim(company_id, number)) ? number : undefined
    },
  }
}

function taskOf({ to, guid }: Recipient, sms: DoorSms): NewTask {
  return { ...sms, to_number: to, silent: false, ...(guid !== undefined && { guid }) }
}

/** Refuses a text that is empty, too long, or holds what no SMS can carry. */
function requireText(text: string): void {
  const { success, error } = SmsText.safeParse(text)
  if (success) return
  const [issue] = error.issues
  if (issue?.code === 'too_small') throw new DoorFault('no_text')
  throw new DoorFault(issue?.code === 'too_big' ? 'too_long' : 'bad_text')
}
