import { X } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import type { Bulk, BulkOutcome, Refused } from '#console/core/bulk.ts'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { selecting as words } from '#console/ui/selection-text.ts'
import type { SelectedRows } from '#console/ui/selection.ts'
import { toast } from '#console/ui/toast.tsx'
import { useLeft } from '#console/ui/use-left.ts'

/**
 * The number of selected rows with the actions on them, below the list. During an action it shows the progress. `b`
 * moves the focus here, and Escape ends the selection.
 */
export function SelectionBar({
  selection,
  shown,
  isRest = false,
  bulk: { progress, stop },
  children,
}: {
  selection: SelectedRows<unknown>
  /** The number of rows that match the filter. */
  shown: number
  /** More rows match than are loaded. */
  isRest?: boolean
  bulk: Bulk
  /** The actions. */
  children: ReactNode
}) {
  const { rows, hidden, isAll, pressAll, end } = selection
  const bar = useRef<HTMLElement>(null)
  useKeys({
    Escape: progress ? undefined : end,
    b: () => bar.current?.querySelector<HTMLElement>('button:not(:disabled)')?.focus(),
  })
  return (
    <section
      ref={bar}
      data-bar
      aria-label={words.bar}
      className="flex min-h-[54px] flex-none flex-wrap items-center gap-x-3 gap-y-2 border-t border-line-strong bg-panel px-6 py-2.5 max-md:px-3"
    >
      <output className="min-w-0 max-md:flex-auto">
        {progress ? (
          <span className="tabular-nums">
            {words.progress(formatCount(progress.done), formatCount(progress.total))}
          </span>
        ) : (
          <>
            <b className="font-semibold">{words.selected(rows.length)}</b>
            {hidden > 0 && <span className="text-muted"> · {words.hidden(hidden)}</span>}
          </>
        )}
      </output>
      {progress ? (
        <>
          <progress
            className="min-w-40 flex-1"
            aria-label={words.bar}
            value={progress.done}
            max={progress.total}
          />
          <Button onClick={stop}>{words.stop}</Button>
        </>
      ) : (
        <>
          {shown > 0 && (
            <Button
              tone="ghost"
              className="underline max-md:order-2 max-md:w-full max-md:justify-start max-md:px-0"
              onClick={pressAll}
            >
              {isAll ? words.none : words[isRest ? 'everyLoaded' : 'everyMatch'](formatCount(shown))}
            </Button>
          )}
          <span className="ml-auto flex min-w-0 gap-3 max-md:contents">
            <span className="flex flex-wrap justify-end gap-2 max-md:order-3 max-md:w-full max-md:justify-start">
              {children}
            </span>
            <Button
              tone="ghost"
              square
              aria-label={words.end}
              title={words.end}
              className="max-md:order-1"
              onClick={end}
            >
              <X className="size-4" aria-hidden="true" />
            </Button>
          </span>
        </>
      )}
    </section>
  )
}

const MOST_NAMES = 50

type Report = { outcome: BulkOutcome; undo?: (() => void) | undefined }

/** Tells what became of an action: in a toast, or in a `BulkSummary` of the `report` if some items were not changed. */
export function useReport() {
  const gone = useLeft()
  const [report, setReport] = useState<Report>()
  return {
    report,
    close: () => setReport(undefined),
    /** `done` is the toast if all were changed. */
    tell(report: Report, done: Parameters<typeof toast>[0]): void {
      const { changed, refused, left } = report.outcome
      if (refused.length + left === 0) return toast(done)
      setReport(report)
      // The user has left the screen that would show the summary.
      const said = words.outcome(changed, refused.length)
      if (gone.current) toast({ text: left > 0 ? `${said} ${words.left(left)}` : said })
    },
  }
}

/** What became of an action of which something was refused: how many were changed, and the others by reason. */
export function BulkSummary({
  title,
  outcome: { changed, refused, left },
  said = words.outcome(changed, refused.length),
  undo,
  onClose,
}: {
  title: string
  outcome: BulkOutcome
  /** How many were changed and refused. */
  said?: string
  /** Absent if nothing can be undone. */
  undo?: (() => void) | undefined
  onClose: () => void
}) {
  const [all, setAll] = useState(false)
  return (
    <Modal title={title} onClose={onClose} wide>
      <div className="flex flex-col gap-4">
        <Notice tone={refused.length + left === 0 ? 'ok' : changed > 0 ? 'warn' : 'bad'}>
          <b className="block font-semibold">{said}</b>
          {left > 0 && <span className="block font-normal">{words.left(left)}</span>}
        </Notice>
        <div className="flex max-h-[45vh] flex-col gap-3 overflow-y-auto">
          {byReason(refused).map(([said, names]) => (
            <section key={said}>
              <h3 className="font-semibold">{said}</h3>
              <p className="text-sm wrap-anywhere text-muted">
                {(all ? names : names.slice(0, MOST_NAMES)).join(', ')}
                {!all && names.length > MOST_NAMES && (
                  <Button tone="ghost" size="sm" className="underline" onClick={() => setAll(true)}>
                    {words.more(formatCount(names.length - MOST_NAMES))}
                  </Button>
                )}
              </p>
            </section>
          ))}
        </div>
        <div className="flex justify-end gap-2">
          {undo && changed > 0 && (
            <Button size="lg" onClick={undo}>
              {words.undo}
            </Button>
          )}
          <Button size="lg" tone="primary" onClick={onClose}>
            {text.close}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

/** The names of the refused, by reason, the most frequent first. */
function byReason(refused: readonly Refused[]): [said: string, names: string[]][] {
  const names = new Map<string, string[]>()
  for (const { name, said } of refused) names.set(said, [...(names.get(said) ?? []), name])
  return [...names].sort((a, b) => b[1].length - a[1].length)
}
