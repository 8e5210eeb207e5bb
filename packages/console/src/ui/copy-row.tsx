import { Copy } from 'lucide-react'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'

/** Shows a value in full, with a button that copies it. */
export function CopyRow({
  label,
  value,
  copyLabel,
  hint,
  large = false,
  onCopied,
}: {
  label: string
  value: string
  copyLabel: string
  hint?: string
  large?: boolean
  onCopied?: () => void
}) {
  const look = large
    ? 'text-2xl leading-none font-semibold tracking-wide'
    : 'text-xs whitespace-pre-wrap [overflow-wrap:anywhere]'
  return (
    <div>
      <p className="mb-1 text-sm font-semibold text-muted">{label}</p>
      <div className="flex items-center gap-2 rounded-sm border border-line bg-sunken p-1.5 pl-3">
        {/* If the browser refuses to copy, one press selects the whole value. */}
        <code className={`min-w-0 flex-1 font-mono select-all ${look}`}>{value}</code>
        <Button
          square
          aria-label={copyLabel}
          title={copyLabel}
          onClick={() => void copyText(value, text.copied).then((copied) => copied && onCopied?.())}
        >
          <Copy className="size-4" aria-hidden="true" />
        </Button>
      </div>
      {hint && <p className="mt-1 text-sm text-muted">{hint}</p>}
    </div>
  )
}
