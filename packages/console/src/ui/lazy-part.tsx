import { lazy, useEffect, useEffectEvent, useState, type ComponentType } from 'react'
import { withTexts } from '#console/core/language.ts'
import { troubles as words } from '#console/ui/trouble-text.ts'
import { toast } from '#console/ui/toast.tsx'

/**
 * A component in a chunk of its own, loaded together with its texts. If that fails, as after a new version, it draws
 * nothing, calls its `onClose`, and a toast offers to reload: the screen and its forms stay. Showing it again loads it
 * again, but some browsers remember the failure until the page is reloaded.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  let current = open()

  function open() {
    return lazy(() =>
      withTexts(load)
        .catch(() => withTexts(load))
        .catch((fault: unknown) => {
          console.error(String(fault))
          return { default: Missing }
        }),
    )
  }

  function Missing({ onClose }: { onClose?: () => void }) {
    const close = useEffectEvent(() => onClose?.())
    useEffect(() => {
      toast({ text: words.partMissing, action: { label: words.reload, run: () => location.reload() } })
      close()
      return () => {
        current = open()
      }
    }, [])
    return null
  }

  return function LazyPart(props) {
    // Kept while it is shown, also if another one fails.
    const [Part] = useState(() => current)
    return <Part {...props} />
  }
}
