import { X } from 'lucide-react'
import { Button } from '#console/ui/button.tsx'

/** A close button for the upper corner of its parent, which must be positioned. */
export function CloseButton({ label, onClose }: { label: string; onClose: () => void }) {
  return (
    <Button tone="ghost" square aria-label={label} onClick={onClose} className="absolute top-2.5 right-2.5">
      <X className="size-4" aria-hidden="true" />
    </Button>
  )
}
