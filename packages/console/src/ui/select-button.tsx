import { ListChecks } from 'lucide-react'
import { Button } from '#console/ui/button.tsx'
import { selecting as words } from '#console/ui/selection-text.ts'
import type { RowSelection } from '#console/ui/selection.ts'

/** Shows the checkboxes that select rows, and hides them again. */
export function SelectButton({
  selection: { on, begin, end },
}: {
  selection: Pick<RowSelection<never>, 'on' | 'begin' | 'end'>
}) {
  return (
    <Button
      aria-pressed={on}
      className="aria-pressed:border-ink aria-pressed:bg-off-bg"
      onClick={on ? end : begin}
    >
      <ListChecks className="size-4" aria-hidden="true" />
      {words.begin}
    </Button>
  )
}
