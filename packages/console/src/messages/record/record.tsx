import { record as words } from './text.ts'
import { attemptFactsOf } from '#console/messages/outcomes/outcomes.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { waiting } from '#console/messages/waiting/text.ts'
import { RecordList } from '#console/ui/record-list.tsx'

/** Every field that the server knows of a message. */
export function MessageRecord({ record }: { record: Record<string, unknown> }) {
  const shown = Object.entries(record).map(([name, value]) => [name, wordsOf(name, value, record) ?? value])
  return <RecordList record={Object.fromEntries(shown) as typeof record} label={words.label} />
}

/** The words of the current language; undefined for data. */
function wordsOf(name: string, value: unknown, record: Record<string, unknown>): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
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
    case 'state':
    case 'task_state':
      return words.state(value)
  }
  return undefined
}
