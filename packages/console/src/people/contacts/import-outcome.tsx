import { Link } from '@tanstack/react-router'
import { RefusedRows } from './import-preview.tsx'
import { contactImport as words } from './import-text.ts'
import { importFault, type ImportState } from './use-import.ts'
import { Box } from '#console/ui/box.tsx'
import { buttonLook } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** What the import did, and how to go on if it did not reach the end. */
export function ImportOutcome({
  state,
  titles,
  onResume,
}: {
  state: ImportState
  titles: readonly string[]
  onResume: () => void
}) {
  const { phase, done, total, added, changed, unchanged, refused } = state
  const counts = { added, changed, unchanged, refused: refused.length }
  const resume = { label: words.resume, run: onResume }
  const [at, all] = [formatCount(done), formatCount(total)]
  return (
    <>
      {phase === 'done' && <Notice tone="ok">{words.done}</Notice>}
      {phase === 'stopped' && (
        <Notice tone="warn" retry={resume}>
          {words.stopped(at, all)}
        </Notice>
      )}
      {phase === 'broken' && (
        <Notice tone="bad" retry={resume}>
          {words.broken(at, all)} {importFault(state)}
        </Notice>
      )}
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {(['added', 'changed', 'unchanged', 'refused'] as const).map((name) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-sm text-muted">{words.counts[name]}</dt>
            <dd className="text-xl font-bold tabular-nums">{formatCount(counts[name])}</dd>
          </div>
        ))}
      </dl>
      {refused.length > 0 && (
        <Box title={words.refused}>
          <RefusedRows refused={refused} titles={titles} />
        </Box>
      )}
      <p>
        <Link to="/contacts" className={buttonLook({ tone: 'primary', size: 'lg' })}>
          {words.see}
        </Link>
      </p>
    </>
  )
}
