import type { Phase } from './progress.ts'
import { campaigns as words } from './text.ts'
import { Pill, type Mark, type Tone } from '#console/ui/marks.tsx'

export const phaseLooks: Record<Phase, { tone: Tone; mark: Mark }> = {
  draft: { tone: 'off', mark: 'dash' },
  scheduled: { tone: 'off', mark: 'clock' },
  running: { tone: 'info', mark: 'arc' },
  waiting: { tone: 'info', mark: 'clock' },
  paused: { tone: 'warn', mark: 'bars' },
  stopped: { tone: 'off', mark: 'dash' },
  finished: { tone: 'ok', mark: 'check' },
}

export function PhasePill({ phase }: { phase: Phase }) {
  return <Pill {...phaseLooks[phase]}>{words.phases[phase]}</Pill>
}
