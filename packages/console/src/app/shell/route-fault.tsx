import { text } from '#console/core/text.ts'
import { Notice } from '#console/ui/notice.tsx'

/** A screen that could not be shown: most often its file, after the network went or a new version came. */
export function RouteFault() {
  return (
    <main className="p-6">
      <h1 className="sr-only">{text.product}</h1>
      <Notice tone="bad" retry={{ label: text.retry, run: () => location.reload() }}>
        {text.screenFailed}
      </Notice>
    </main>
  )
}
