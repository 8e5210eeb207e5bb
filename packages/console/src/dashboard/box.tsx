import { Link, type LinkProps } from '@tanstack/react-router'
import { useId, type ReactNode } from 'react'

/** A titled part of the screen; `beside` stands at the end of its head. */
export function Box({
  title,
  beside,
  className = '',
  children,
}: {
  title: string
  beside?: ReactNode
  className?: string
  children: ReactNode
}) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={`panel flex min-w-0 flex-col px-4 pt-3 pb-3.5 max-md:px-3 ${className}`}
    >
      <header className="mb-2.5 flex flex-wrap items-baseline gap-x-3">
        <h2 id={id} className="font-bold">
          {title}
        </h2>
        <span className="ml-auto text-sm text-muted">{beside}</span>
      </header>
      {children}
    </section>
  )
}

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
