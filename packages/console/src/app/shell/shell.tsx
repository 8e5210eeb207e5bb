import { QueryClientProvider, useQuery, type QueryClient } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { flushSync } from 'react-dom'
import { Suspense, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { withTexts } from '#console/core/language.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { LiveProvider } from '#console/core/live/live-context.ts'
import { openLive, type Live } from '#console/core/live/live.ts'
import { refreshOnChange } from '#console/core/live/refresh.ts'
import { answerProof, proofAsked, whenProofAsked } from '#console/core/proof.ts'
import { openQueryClient } from '#console/core/query.ts'
import { readSession } from '#console/core/session.ts'
import { text } from '#console/core/text.ts'
import { menu as words } from './text.ts'
import { followStatuses } from '#console/fleet/devices/devices.ts'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { LiveLine } from './live-line.tsx'
import { jumpKeys, Menu } from './menu.tsx'
import { ServerGone } from './server-gone.tsx'
import { Button } from '#console/ui/button.tsx'
import { modalOpen, useCommandKey, useJumps, useKeys } from '#console/ui/keys.ts'
import { OverlayProvider } from '#console/ui/overlay.tsx'
import { PageFrame } from '#console/ui/page.tsx'
import { Toasts } from '#console/ui/toast.tsx'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'

/** Opens if the server wants the user to prove their identity. */
const ProofDialog = lazyPart(() => import('#console/accounts/account/proof-dialog.tsx'))
const Shortcuts = lazyPart(() => import('./shortcuts.tsx'))
const Palette = lazyPart(() => import('./palette.tsx'))
const SendingOff = lazyPart(() => import('./sending-off.tsx'))
const Bell = lazyPart(() => import('#console/app/alerts/bell.tsx'))
const AlertWatch = lazyPart(() => import('#console/app/alerts/alert-watch.tsx'))
const SwitchSending = lazyPart(() => import('./switch-sending.tsx'))

/**
 * The frame of every guarded screen: menu, live connection and toasts. The session's cached data is dropped when the
 * shell unmounts.
 */
export function Shell() {
  const [queryClient] = useState(openQueryClient)
  const [live] = useState(openLive)
  const wide = useMedia(WIDE_SCREEN)
  const [menu, setMenu] = useState({ wide, open: wide })
  const [over, setOver] = useState<'shortcuts' | 'palette' | 'stop' | 'resume'>()
  const menuId = useId()
  const toggle = useRef<HTMLButtonElement>(null)
  // Copied, since a change of these texts must make a new frame.
  const labels = { toggle: words.toggle, palette: words.palette }
  useLiveConnection(live, queryClient)
  useKeys({ '?': () => setOver('shortcuts'), Escape: menu.open && !wide ? closeMenu : undefined })

  const navigate = useNavigate()
  useJumps({
    ...Object.fromEntries(
      Object.entries(jumpKeys).map(([letter, to]) => [letter, () => void navigate({ to })]),
    ),
    a: () => void navigate({ to: '.', search: (now) => ({ ...now, alerts: 'open' }) }),
  })

  useCommandKey('k', () => {
    if (over === 'palette') setOver(undefined)
    else if (!modalOpen()) setOver('palette')
  })

  // At the breakpoint, the menu returns to the default of the new width.
  if (menu.wide !== wide) setMenu({ wide, open: wide })
  const covers = menu.open && !wide

  function closeMenu(): void {
    // The toggle is inert until the menu closes, and an inert element takes no focus.
    flushSync(() => setMenu({ wide, open: false }))
    toggle.current?.focus()
  }

  const frame = useMemo(
    () => ({
      lead: (
        <Button
          ref={toggle}
          tone="ghost"
          square
          aria-label={labels.toggle}
          aria-expanded={menu.open}
          aria-controls={menu.open ? menuId : undefined}
          onClick={() => setMenu(({ wide, open }) => ({ wide, open: !open }))}
          className="-ml-2 max-md:ml-0"
        >
          <MenuIcon className="size-[18px]" aria-hidden="true" />
        </Button>
      ),
      live: (
        <>
          <LiveLine />
          {(!menu.open || !wide) && (
            <Button
              tone="ghost"
              square
              aria-label={labels.palette}
              title={labels.palette}
              onClick={() => setOver('palette')}
            >
              <Search className="size-[18px]" aria-hidden="true" />
            </Button>
          )}
        </>
      ),
      // At the end of the header, also if the screen has put something there before it.
      end: (
        <span className="ml-auto min-w-[34px] max-md:min-w-11 [.ml-auto~&]:ml-0">
          <Suspense>
            <Bell />
          </Suspense>
        </span>
      ),
      notices: (
        <>
          <ServerGone />
          <OffLine />
        </>
      ),
    }),
    [menu.open, menuId, wide, labels.toggle, labels.palette],
  )

  const asked = useSyncExternalStore(whenProofAsked, proofAsked)
  const proof = asked && (
    <Suspense>
      <ProofDialog onClose={() => answerProof(false)} />
    </Suspense>
  )

  return (
    <QueryClientProvider client={queryClient}>
      <LiveProvider value={live}>
        <OverlayProvider shown={proof}>
          <div className="flex h-full">
            <Button
              tone="primary"
              onClick={() => document.querySelector('main')?.focus()}
              className="fixed top-2 left-2 z-50 not-focus:sr-only"
            >
              {words.skip}
            </Button>
            {menu.open && (
              <Menu
                id={menuId}
                onFollow={() => covers && setMenu({ wide, open: false })}
                onShortcuts={() => setOver('shortcuts')}
                onPalette={() => {
                  if (covers) setMenu({ wide, open: false })
                  setOver('palette')
                }}
              />
            )}
            {covers && (
              <button
                type="button"
                aria-label={words.close}
                onClick={closeMenu}
                className="fixed inset-0 z-20 cursor-default bg-scrim"
              />
            )}
            <div className="h-full min-w-0 flex-1" inert={covers}>
              <PageFrame value={frame}>
                <Outlet />
              </PageFrame>
            </div>
            <Suspense>
              <AlertWatch />
            </Suspense>
            <Toasts label={text.toasts} closeLabel={text.closeToast} />
            <Suspense>
              {over === 'shortcuts' && <Shortcuts onClose={() => setOver(undefined)} />}
              {over === 'palette' && <Palette onClose={() => setOver(undefined)} onSwitch={setOver} />}
              {(over === 'stop' || over === 'resume') && (
                <SwitchSending on={over === 'resume'} onClose={() => setOver(undefined)} />
              )}
            </Suspense>
          </div>
        </OverlayProvider>
      </LiveProvider>
    </QueryClientProvider>
  )
}

/** Later, as they are not needed to show anything. The console does without them if they cannot be loaded. */
const loadWatches = () => withTexts(() => import('./watches.ts'))

function useLiveConnection(live: Live, queryClient: QueryClient): void {
  useEffect(() => {
    const stops = [
      refreshOnChange(live, queryClient),
      followStatuses(live, queryClient),
      live.start({
        token: () => readSession()?.token ?? '',
        load: () => import('./watched-connection.ts'),
      }),
    ]
    let stopWatches: (() => void) | undefined = () => {}
    loadWatches().then(
      ({ startWatches }) => {
        if (stopWatches) stopWatches = startWatches(live, queryClient)
      },
      () => undefined,
    )
    return () => {
      for (const stop of stops) stop()
      stopWatches?.()
      stopWatches = undefined
    }
  }, [live, queryClient])
}

/** The line about sending that is off. Its own part, so that the frame stays the same. */
function OffLine() {
  const { data: records } = useQuery(globalSettingsQuery)
  const own = records?.[0]
  return (
    <output>
      <Suspense>{own && !own.send_enabled && <SendingOff settings={own} />}</Suspense>
    </output>
  )
}
