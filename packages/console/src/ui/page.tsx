import { createContext, use, type ReactNode } from 'react'
import { useTitle } from '#console/ui/use-title.ts'

/** Parts of each screen's header that the shell provides: the menu button before the title, the live line after it. */
export const PageFrame = createContext<{ lead: ReactNode; live: ReactNode }>({ lead: null, live: null })

/** A screen: its title, extra header content (`beside`), and content that scrolls by itself. */
export function Page({
  title,
  beside,
  children,
}: {
  title: string
  beside?: ReactNode
  children: ReactNode
}) {
  const { lead, live } = use(PageFrame)
  useTitle(title)
  return (
    <main tabIndex={-1} className="flex h-full min-w-0 flex-col outline-none">
      <header className="flex min-h-[34px] items-center gap-3 px-6 pt-5 pb-3.5 max-md:on-rail max-md:h-[52px] max-md:shrink-0 max-md:gap-2 max-md:px-1 max-md:py-0 max-md:pr-3">
        {lead}
        <h1 className="text-xl leading-tight font-bold tracking-tight whitespace-nowrap max-md:min-w-0 max-md:flex-1 max-md:truncate max-md:text-[17px]">
          {title}
        </h1>
        {live}
        {beside}
      </header>
      {children}
    </main>
  )
}
