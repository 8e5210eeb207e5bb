import type { ReactNode } from 'react'
import { Button } from '#console/ui/button.tsx'
import { noticeShapes, Shape } from '#console/ui/shape.tsx'

/** A message in the page: an alert for failures, a status for successes. */
export function Notice({
  tone,
  children,
  retry,
  className = '',
}: {
  tone: 'bad' | 'ok' | 'warn'
  children: ReactNode
  /** Label and action of its button. */
  retry?: { label: string; run: () => void }
  className?: string
}) {
  const look = { bad: 'bg-bad-bg text-bad', ok: 'bg-ok-bg text-ok', warn: 'bg-warn-bg text-warn' }[tone]
  const mark = { bad: 'cross', ok: 'check', warn: 'triangle' } as const
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex items-center gap-2.5 rounded-sm flex-wrap px-3 py-2 font-medium ${look} ${className}`}
    >
      <span className="flex min-w-0 grow basis-48 gap-2.5">
        <span className="pt-1">
          <Shape>{noticeShapes[mark[tone]]}</Shape>
        </span>
        <span className="min-w-0">{children}</span>
      </span>
      {retry && (
        <Button size="sm" onClick={retry.run}>
          {retry.label}
        </Button>
      )}
    </div>
  )
}
