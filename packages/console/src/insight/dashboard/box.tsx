import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A figure or name that leads to its list; the whole of what is positioned around it can be pressed. */
export function Covering({ link, children }: { link: LinkProps; children: ReactNode }) {
  return (
    <Link {...link} className="underline-offset-3 after:absolute after:inset-0 hover:underline">
      {children}
    </Link>
  )
}

/** What to say in place of rows. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="py-1 text-sm text-muted">{children}</p>
}

/** A bar of this share of its room, 0 to 1; the figures beside it say the same. */
export function Bar({ share, fill }: { share: number; fill: string }) {
  return (
    <svg
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="block h-1.5 w-full rounded-[1px] bg-off-bg"
    >
      <rect width={100 * Math.min(1, Math.max(share, 0.01))} height="6" className={fill} />
    </svg>
  )
}
