import type { ReactNode } from 'react'

/** The shapes of a notice, which the first screen needs too. */
export const noticeShapes = {
  check: <path d="m1.5 6.5 3 3 6-7" fill="none" stroke="currentColor" strokeWidth="2" />,
  cross: <path d="m2.5 2.5 7 7m0-7-7 7" fill="none" stroke="currentColor" strokeWidth="2" />,
  triangle: <path d="M6 1 11.5 11h-11z" fill="currentColor" />,
}

/** The frame of a shape. Without a label, screen readers skip it: the word is next to it. */
export function Shape({
  label,
  className = 'size-3',
  children,
}: {
  label?: string | undefined
  className?: string
  children: ReactNode
}) {
  const role = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true }
  return (
    <svg viewBox="0 0 12 12" className={`shrink-0 ${className}`} {...role}>
      {label && <title>{label}</title>}
      {children}
    </svg>
  )
}
