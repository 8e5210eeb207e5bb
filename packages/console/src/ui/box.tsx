import { useId, type ReactNode } from 'react'

/** A titled part of a screen; `beside` comes at the end of its header. */
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
