import { Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { AgainDialog } from './again-dialog.tsx'
import { record as words } from './text.ts'
import { Button, buttonLook } from '#console/ui/button.tsx'

/**
 * Opens the send form with this number and text. The user chooses the device, and may change both. `uncertain`: the
 * message may have arrived, so a warning comes first.
 */
export function SendAgain({ to, message, uncertain }: { to: string; message: string; uncertain: boolean }) {
  const [asks, setAsks] = useState(false)
  const said = (
    <>
      <Send className="size-4" aria-hidden="true" />
      {words.sendAgain}
    </>
  )
  if (!uncertain) {
    return (
      <Link to="/sms" search={{ to, text: message }} className={buttonLook()}>
        {said}
      </Link>
    )
  }
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setAsks(true)}>
        {said}
      </Button>
      {asks && <AgainDialog to={to} message={message} onClose={() => setAsks(false)} />}
    </>
  )
}
