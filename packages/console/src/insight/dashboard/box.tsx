import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A table with names in the first column and figures in the others. */
export const FIGURES_TABLE = [
  'text-sm tabular-nums [&_tbody_tr]:border-t [&_tbody_tr]:border-line [&_th]:font-medium [&_thead_th]:text-muted',
  '[&_:is(th,td)]:py-[5px] [&_:is(th,td)]:pl-4 [&_:is(th,td)]:text-right [&_:is(th,td)]:whitespace-nowrap',
  'max-md:[&_:is(th,td)]:py-2.5 max-md:[&_:is(th,td)]:pl-3',
  '[&_:is(th,td):first-child]:pl-0 [&_:is(th,td):first-child]:text-left',
].join(' ')

/** A figure or name that links to its list. The link covers the whole positioned parent. */
export function CoveringLink({ link, children }: { link: LinkProps; children: ReactNode }) {
  return (
    <Link {...link} className="underline-offset-3 after:absolute after:inset-0 hover:underline">
      {children}
    </Link>
  )
}

/** Text in place of rows. */
export function NoneText({ children }: { children: ReactNode }) {
  return <p className="py-1 text-sm text-muted">{children}</p>
}

/** A bar that fills `share` of its width, 0 to 1. Figures next to it say the same. */
export function ShareBar({ share, fill }: { share: number; fill: string }) {
  return (
    <svg
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="col-span-full row-start-2 block h-1.5 w-full rounded-[1px] bg-off-bg"
    >
      <rect width={100 * Math.min(1, Math.max(share, 0.01))} height="6" className={fill} />
    </svg>
  )
}
