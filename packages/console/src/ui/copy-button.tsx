import { Copy } from 'lucide-react'
import { text } from '#console/core/text.ts'
import { copyText } from '#console/ui/copy.ts'

/** Copies the value that is shown next to it; `what` is the value's name. */
export function CopyButton({ what, value }: { what: string; value: string }) {
  return (
    <button
      type="button"
      aria-label={text.copy(what)}
      title={text.copy(what)}
      onClick={() => void copyText(value, text.copied)}
      className="copy-button"
    >
      <Copy aria-hidden="true" />
    </button>
  )
}
