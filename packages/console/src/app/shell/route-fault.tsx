import { text } from '#console/core/text.ts'
import { Notice } from '#console/ui/notice.tsx'

/** Shown if a screen fails, usually because its file could not be loaded: offline or after a new version. */
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
