import { contactImport as words } from './import-text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** Covers the screen, so that the import is not left by mistake. */
export default function ImportProgress({
  done,
  total,
  onStop,
}: {
  done: number
  total: number
  onStop: () => void
}) {
  return (
    <Modal title={words.running} onClose={() => undefined}>
      <div className="flex flex-col gap-3">
        <progress className="w-full" aria-label={words.running} value={done} max={total} />
        <output className="tabular-nums">{words.progress(formatCount(done), formatCount(total))}</output>
        <div className="flex flex-wrap items-center justify-end gap-3">
          <span className="text-sm text-muted">{words.stopHint}</span>
          <Button size="lg" onClick={onStop}>
            {words.stop}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
