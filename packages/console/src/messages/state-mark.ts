import type { MessageState } from '@sdd/contract/messages.ts'
import type { Mark, Tone } from '#console/ui/marks.tsx'

/** How each state looks: a colour and a shape of its own. */
export const stateMarks: Record<MessageState, { tone: Tone; mark: Mark; color: string }> = {
  queued: { tone: 'info', mark: 'arc', color: 'text-info' },
  handed: { tone: 'info', mark: 'dot', color: 'text-info' },
  sent: { tone: 'ok', mark: 'check', color: 'text-ok' },
  delivered: { tone: 'ok', mark: 'double-check', color: 'text-ok' },
  replied: { tone: 'ok', mark: 'reply', color: 'text-ok' },
  failed: { tone: 'bad', mark: 'cross', color: 'text-bad' },
  uncertain: { tone: 'warn', mark: 'triangle', color: 'text-warn' },
  expired: { tone: 'off', mark: 'clock', color: 'text-off' },
  cancelled: { tone: 'off', mark: 'dash', color: 'text-off' },
}
