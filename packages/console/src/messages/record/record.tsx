import { record as words } from './text.ts'
import { attemptFactsOf } from '#console/messages/outcomes/outcomes.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { waiting } from '#console/messages/waiting/text.ts'
import { RecordList } from '#console/ui/record-list.tsx'
import { withShortTimes } from '#console/ui/time.ts'

/** Every field that the server knows of a message. With `foldEmpty`, those without a value are folded away. */
export function MessageRecord({
  record,
  foldEmpty = false,
}: {
  record: Record<string, unknown>
  foldEmpty?: boolean
}) {
  const shown = Object.entries(record).map(([name, value]) => [name, shownOf(name, value, record)])
  return (
    <RecordList
      record={Object.fromEntries(shown) as typeof record}
      label={words.label}
      foldEmpty={foldEmpty ? words.empty : undefined}
    />
  )
}

/** Sentences, codes and times as the current language has them, and any other value as it is. */
function shownOf(name: string, value: unknown, record: Record<string, unknown>): unknown {
  if (typeof value !== 'string' || value === '') return value
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return words.time(value)
  const said = wordsOf(name, value, record) ?? value
  return said === value ? value : withShortTimes(said)
}

function wordsOf(name: string, value: string, record: Record<string, unknown>): string | undefined {
  const [, attempt] = /^attempt_(\d+)$/.exec(name) ?? []
  if (attempt) return outcomes.attempt(value, attemptFactsOf(record, attempt))
  switch (name) {
    case 'waiting_for':
      return waiting.sentence(record)
    case 'error_msg':
      return outcomes.errorMsg(record)
    case 'notes':
      return outcomes.notes(record)
    case 'error':
      return outcomes.errorCode(value)
    case 'class':
    case 'state':
    case 'task_state':
      return words.state(value)
  }
  return undefined
}
