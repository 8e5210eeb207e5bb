import '#console/ui/corner.css'

/**
 * The classes of the button at the end of the header, and of the dialog below it, which leaves the screen in sight.
 * Their styles are loaded only with them.
 */
export const cornerLook = {
  button: 'corner-button',
  badge: 'corner-badge',
  view: 'corner-view',
  popup: 'corner',
}
