import { useEffect, useRef, type KeyboardEvent } from 'react'
import { stripLook } from '#console/ui/strip.ts'

/** A row of tabs that control one panel. The arrow keys, Home and End move to another tab and show it. */
export function TabList<Name extends string>({
  tabs,
  shown,
  onShow,
  panelId,
}: {
  tabs: readonly { tab: Name; label: string }[]
  /** If it is none of the tabs, none is selected. */
  shown: Name
  onShow: (tab: Name) => void
  panelId: string
}) {
  const list = useRef<HTMLDivElement>(null)
  const at = tabs.findIndex(({ tab }) => tab === shown)
  // On a phone the tabs are wider than the window.
  useEffect(() => {
    const selected = list.current?.querySelector('[aria-selected="true"]')
    selected?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [shown])

  function press(event: KeyboardEvent): void {
    const { length } = tabs
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: length - 1 }[event.key]
    const tab = next === undefined ? undefined : tabs[(next + length) % length]?.tab
    if (!tab) return
    event.preventDefault()
    onShow(tab)
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab}"]`)?.focus()
  }

  return (
    <div
      ref={list}
      role="tablist"
      tabIndex={-1}
      onKeyDown={press}
      className={`${stripLook.strip} mx-6 flex flex-none gap-1 border-b border-line max-md:mx-3`}
    >
      {tabs.map(({ tab, label }, n) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`${panelId}-${tab}`}
          data-tab={tab}
          data-label={label}
          aria-selected={n === at}
          aria-controls={n === at ? panelId : undefined}
          tabIndex={n === Math.max(at, 0) ? 0 : -1}
          onClick={() => onShow(tab)}
          className="steady-tab min-h-[38px] flex-none border-b-3 border-transparent px-3.5 font-medium text-muted hover:text-ink focus-visible:-outline-offset-3 aria-selected:border-accent aria-selected:font-bold aria-selected:text-ink max-md:min-h-11"
        >
          {label}
        </button>
      ))}
    </div>
  )
}
