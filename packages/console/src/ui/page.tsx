import { createContext, use, type ReactNode } from 'react'
import { useTitle } from '#console/ui/use-title.ts'

/**
 * Parts of each screen's header that the shell provides: the menu button before the title, the live line after it, the
 * bell at the end, notices below.
 */
export const PageFrame = createContext<Record<'lead' | 'live' | 'end' | 'notices', ReactNode>>({
  lead: null,
  live: null,
  end: null,
  notices: null,
})

/**
 * A screen: its title, extra header content (`beside`), and content that scrolls by itself. `fresh` is the number of new
 * rows that wait to be shown.
 */
export function Page({
  title,
  beside,
  fresh = 0,
  children,
}: {
  title: string
  beside?: ReactNode
  fresh?: number
  children: ReactNode
}) {
  const { lead, live, end, notices } = use(PageFrame)
  useTitle(title, fresh)
  return (
    <main tabIndex={-1} className="flex h-full min-w-0 flex-col outline-none">
      <header className="flex min-h-[34px] items-center gap-3 px-6 pt-5 pb-3.5 max-md:on-rail max-md:h-[52px] max-md:shrink-0 max-md:gap-2 max-md:px-1 max-md:py-0 max-md:pr-3">
        {lead}
        <h1
          tabIndex={-1}
          title={title}
          className="outline-none text-xl leading-tight font-bold tracking-tight wrap-anywhere whitespace-nowrap max-md:line-clamp-2 max-md:min-w-0 max-md:flex-1 max-md:text-[17px] max-md:whitespace-normal"
        >
          {title}
        </h1>
        {live}
        {beside}
        {end}
      </header>
      {notices}
      {children}
    </main>
  )
}
