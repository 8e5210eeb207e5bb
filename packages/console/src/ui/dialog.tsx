import { Dialog } from '@base-ui/react/dialog'
import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import { useOverlay } from '#console/ui/overlay.tsx'

/**
 * A modal named by its title. It keeps the focus, closes on Escape and returns the focus. Unless it has a form, a click
 * outside closes it too. Mount it to open it. `wide` has room for long lines. `sheet` comes from the bottom of a narrow
 * window and may fill it. `top` hangs below the upper edge, without padding. `corner` has the classes of a dialog that
 * leaves the screen in sight.
 */
export function Modal({
  title,
  onClose,
  children,
  wide = false,
  sheet = false,
  top = false,
  corner,
  hiddenTitle = false,
}: {
  title: string
  onClose: () => void
  children: ReactNode
  wide?: boolean
  sheet?: boolean
  top?: boolean
  corner?: { view: string; popup: string }
  hiddenTitle?: boolean
}) {
  const popup = useRef<HTMLDivElement>(null)
  const { over, onFocus } = useOverlay(popup)
  return (
    <Dialog.Root
      open
      onOpenChange={(_, { reason }) => {
        // A slip of the pointer must not lose the input of a form.
        if (reason !== 'outside-press' || !popup.current?.querySelector('form')) onClose()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop forceRender className={`fixed inset-0 z-40 ${corner ? '' : 'bg-scrim'}`} />
        <Dialog.Viewport
          className={`fixed inset-0 z-40 grid place-items-center overflow-y-auto p-4 ${corner?.view ?? ''}`}
        >
          <Dialog.Popup
            ref={popup}
            onFocus={onFocus}
            onKeyDown={wrapFocus}
            className={`relative w-full rounded-md border border-line bg-panel text-ink shadow-2xl outline-none ${
              corner?.popup ?? (sheet ? shapes.sheet : top ? shapes.top : wide ? shapes.wide : shapes.middle)
            }`}
          >
            <Dialog.Title className={hiddenTitle ? 'sr-only' : 'mb-4 text-xl leading-tight font-bold'}>
              {title}
            </Dialog.Title>
            {children}
            {over}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const shapes = {
  middle: 'max-w-[440px] p-6',
  wide: 'max-w-[600px] p-6 max-md:p-4',
  sheet: 'max-h-full max-w-lg self-end overflow-y-auto p-4',
  top: 'mt-[8vh] flex max-h-[76vh] max-w-[560px] flex-col self-start overflow-hidden max-md:mt-0 max-md:max-h-full',
}

const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex="0"]'

/** Wraps the focus in the key press itself, since the primitive's own guards react slightly later. */
function wrapFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Tab' || event.defaultPrevented) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) => !element.matches(':disabled, [aria-hidden]') && element.tabIndex >= 0,
  )
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]]
  if (!to || (document.activeElement !== from && document.activeElement !== event.currentTarget)) return
  event.preventDefault()
  to.focus()
}
