/** The drone. It has the same colours in both themes, since the menu is always dark. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 30 30" fill="none" strokeWidth="2" className={className} aria-hidden="true">
      <path d="M7 7l16 16M23 7 7 23" stroke="#ffcc00" strokeWidth="2.5" />
      <g stroke="#e9ebed">
        <circle cx="6" cy="6" r="4" />
        <circle cx="24" cy="6" r="4" />
        <circle cx="6" cy="24" r="4" />
        <circle cx="24" cy="24" r="4" />
      </g>
      <path d="M9 10.5h12v8h-5l-3.5 3.5v-3.5H9z" fill="#ffcc00" />
    </svg>
  )
}
