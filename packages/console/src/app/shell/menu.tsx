import { Link, useNavigate } from '@tanstack/react-router'
import {
  BookUser,
  Clock,
  Keyboard,
  LayoutDashboard,
  List,
  LogOut,
  Megaphone,
  MessagesSquare,
  Monitor,
  Moon,
  Route,
  Search,
  Send,
  Settings2,
  Smartphone,
  Sun,
  UserRound,
  Users,
} from 'lucide-react'
import { Suspense } from 'react'
import { signOut } from '#console/accounts/auth/sign-out.ts'
import { useReadsConversations } from '#console/accounts/settings/settings.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { menu as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { Who } from './who.tsx'
import { commandKey } from '#console/ui/keys.ts'
import { Logo } from '#console/ui/logo.tsx'
import { setTheme, useTheme, type Theme } from '#console/ui/theme.ts'

const UnreadBadge = lazyPart(() => import('./unread-badge.tsx'))

/** The screens, in the order of the menu and the palette. */
export const screens = [
  { to: '/dashboard', name: 'dashboard', Icon: LayoutDashboard },
  { to: '/conversations', name: 'conversations', Icon: MessagesSquare },
  { to: '/devices', name: 'devices', Icon: Smartphone },
  { to: '/sms', name: 'sms', Icon: Send },
  { to: '/campaigns', name: 'campaigns', Icon: Megaphone },
  { to: '/contacts', name: 'contacts', Icon: BookUser },
  { to: '/users', name: 'users', Icon: Users },
  { to: '/logs', name: 'logs', Icon: List },
  { to: '/running-tasks', name: 'tasks', Icon: Clock },
  { to: '/routes', name: 'routes', Icon: Route },
  { to: '/settings', name: 'settings', Icon: Settings2 },
] as const

/** After `g`, each letter leads to a screen; `a` opens the alerts. */
export const jumpKeys = {
  d: '/devices',
  h: '/dashboard',
  c: '/conversations',
  e: '/sms',
  m: '/campaigns',
  p: '/contacts',
  u: '/users',
  l: '/logs',
  t: '/running-tasks',
  r: '/routes',
  s: '/settings',
  y: '/account',
} as const

/** The side menu. `onFollow` runs when a link is followed: on a narrow window the menu then closes. */
export function Menu({
  id,
  onFollow,
  onShortcuts,
  onPalette,
}: {
  id: string
  onFollow: () => void
  onShortcuts: () => void
  onPalette: () => void
}) {
  const navigate = useNavigate()
  const reads = useReadsConversations()

  function toAccount(): void {
    onFollow()
    void navigate({ to: '/account' })
  }

  function leave(): void {
    signOut()
    void navigate({ to: '/' })
  }

  return (
    <nav
      id={id}
      aria-label={words.landmark}
      className="on-rail z-30 flex h-full w-52 shrink-0 flex-col md:max-lg:w-[92px] overflow-y-auto border-r border-rail-line text-rail-muted max-md:fixed max-md:inset-y-0 max-md:left-0 max-md:w-64"
    >
      <div className="flex items-center gap-2.5 px-4 pt-[18px] pb-5 text-[15px] md:max-lg:justify-center leading-[1.05] font-bold text-rail-ink">
        <Logo className="size-[30px] shrink-0" />
        <span className="w-min min-w-24 md:max-lg:sr-only">{text.product}</span>
      </div>
      <button
        type="button"
        onClick={onPalette}
        className="mx-2 mb-3 flex h-9 shrink-0 items-center gap-2 rounded-sm border border-rail-line px-2 text-left text-sm whitespace-nowrap hover:text-rail-ink max-md:h-11 md:max-lg:justify-center"
      >
        <Search className="size-4 shrink-0" strokeWidth={1.75} aria-hidden="true" />
        <span className="flex-1 truncate md:max-lg:sr-only">{words.palette}</span>
        <kbd aria-hidden="true" className="font-mono text-xs max-lg:hidden">
          {commandKey('k')}
        </kbd>
      </button>
      <ul className="flex flex-col gap-px px-2">
        {screens
          .filter(({ name }) => reads || name !== 'conversations')
          .map(({ to, name, Icon }) => (
            <li key={to}>
              <Link to={to} onClick={onFollow} className="rail-link" activeOptions={{ includeSearch: false }}>
                <Icon className="size-4 shrink-0" strokeWidth={1.75} aria-hidden="true" />
                {words[name]}
                {name === 'conversations' && (
                  <Suspense>
                    <UnreadBadge />
                  </Suspense>
                )}
              </Link>
            </li>
          ))}
      </ul>
      <div className="mt-auto flex flex-col gap-2 border-t border-rail-line px-2 py-3">
        <div className="flex items-center gap-2 pr-2 pl-2.5 text-sm md:max-lg:flex-wrap md:max-lg:justify-center md:max-lg:px-0">
          <Who />
          <RailButton label={words.shortcuts} onClick={onShortcuts} className="max-md:hidden">
            <Keyboard className="size-4" aria-hidden="true" />
          </RailButton>
          <ThemeButton />
        </div>
        {/* A button, not a link: links lead to screens, and this leads to the user's own account. */}
        <button type="button" onClick={toAccount} className="rail-link">
          <UserRound className="size-4 shrink-0" strokeWidth={1.75} aria-hidden="true" />
          {words.account}
        </button>
        <button type="button" onClick={leave} className="rail-link">
          <LogOut className="size-4 shrink-0" strokeWidth={1.75} aria-hidden="true" />
          {words.logout}
        </button>
      </div>
    </nav>
  )
}

const themes = {
  system: { next: 'light', Icon: Monitor },
  light: { next: 'dark', Icon: Sun },
  dark: { next: 'system', Icon: Moon },
} as const satisfies Record<Theme, unknown>

function ThemeButton() {
  const theme = useTheme()
  const { next, Icon } = themes[theme]
  return (
    <RailButton label={`${words.theme}: ${words.themes[theme]}`} onClick={() => setTheme(next)}>
      <Icon className="size-4" aria-hidden="true" />
    </RailButton>
  )
}

function RailButton({
  label,
  onClick,
  className = '',
  children,
}: {
  label: string
  onClick: () => void
  className?: string
  children: React.ReactNode
}) {
  return (
    <Button
      tone="ghost"
      size="sm"
      square
      aria-label={label}
      title={label}
      onClick={onClick}
      className={`border-rail-line! hover:bg-rail-active! ${className}`}
    >
      {children}
    </Button>
  )
}
