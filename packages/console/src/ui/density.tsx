import { Rows2, Rows4 } from 'lucide-react'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'

export type Density = 'comfortable' | 'compact'

export function DensityButton({
  density,
  onDensity,
}: {
  density: Density
  onDensity: (density: Density) => void
}) {
  const compact = density === 'compact'
  const Icon = compact ? Rows4 : Rows2
  return (
    <Button
      square
      aria-label={text.compactRows}
      title={text.compactRows}
      aria-pressed={compact}
      onClick={() => onDensity(compact ? 'comfortable' : 'compact')}
    >
      <Icon className="size-4" aria-hidden="true" />
    </Button>
  )
}
