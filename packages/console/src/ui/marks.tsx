import { noticeShapes, Shape } from '#console/ui/shape.tsx'

/** Shapes of states. Each state has its own, so that it does not depend on colour. */
export type Mark =
  | 'dot'
  | 'square'
  | 'dash'
  | 'arc'
  | 'check'
  | 'cross'
  | 'triangle'
  | 'double-check'
  | 'clock'
  | 'reply'
  | 'received'
  | 'struck'
  | 'bars'

const shapes: Record<Mark, React.ReactNode> = {
  ...noticeShapes,
  dot: <circle cx="6" cy="6" r="4" fill="currentColor" />,
  square: <rect x="2" y="2" width="8" height="8" rx="1" fill="none" stroke="currentColor" strokeWidth="2" />,
  dash: <path d="M2 6h8" stroke="currentColor" strokeWidth="2" />,
  arc: <path d="M6 1.5A4.5 4.5 0 1 1 1.5 6" fill="none" stroke="currentColor" strokeWidth="2" />,
  'double-check': (
    <path d="m.5 6.5 2.5 3 5-6.5M6 9l.5.5 5-6.5" fill="none" stroke="currentColor" strokeWidth="1.6" />
  ),
  reply: (
    <path
      d="M5 2 1.5 5.5 5 9M1.5 5.5h5c2.5 0 4 1.5 4 4.5"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
    />
  ),
  received: <path d="M10 2 2.5 9.5M2.5 4v5.5H8" fill="none" stroke="currentColor" strokeWidth="1.7" />,
  struck: (
    <>
      <circle cx="6" cy="6" r="4.2" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="m3 9 6-6" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  bars: <path d="M4 2v8M8 2v8" stroke="currentColor" strokeWidth="2" />,
  clock: (
    <path
      d="M6 1.25a4.75 4.75 0 1 1 0 9.5 4.75 4.75 0 0 1 0-9.5M6 3.5V6l1.75 1.25"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    />
  ),
}

export function MarkIcon({ mark, ...rest }: { mark: Mark; label?: string; className?: string }) {
  return <Shape {...rest}>{shapes[mark]}</Shape>
}

export type Tone = 'ok' | 'bad' | 'info' | 'warn' | 'off'

const tones: Record<Tone, string> = {
  ok: 'bg-ok-bg text-ok',
  bad: 'bg-bad-bg text-bad',
  info: 'bg-info-bg text-info',
  warn: 'bg-warn-bg text-warn',
  off: 'bg-off-bg text-off',
}

export function Pill({ tone, mark, children }: { tone: Tone; mark: Mark; children: React.ReactNode }) {
  return (
    <span
      data-pill
      className={`inline-flex h-[22px] items-center gap-1.5 rounded-sm pr-2 pl-1.5 text-sm font-semibold whitespace-nowrap ${tones[tone]}`}
    >
      <MarkIcon mark={mark} />
      {children}
    </span>
  )
}
