import type { ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { Logo } from '#console/ui/logo.tsx'
import { Skyline } from '#console/ui/skyline.tsx'

/** The screen before the console opens: one card under the product's name. */
export function FrontPage({ children }: { children: ReactNode }) {
  return (
    <main className="on-rail relative grid min-h-full overflow-x-clip place-items-center px-4 pt-6 pb-24">
      <div className="z-10 flex w-full max-w-[380px] flex-col gap-4 rounded-md border-t-4 border-accent bg-panel p-7 pb-8 text-ink">
        <div className="mb-1.5 flex items-center gap-3">
          <span className="grid size-10 place-items-center rounded-sm bg-[#14171a]">
            <Logo className="size-[26px]" />
          </span>
          <h1 className="text-[19px] font-bold">{text.product}</h1>
        </div>
        {children}
      </div>
      <Skyline />
    </main>
  )
}
