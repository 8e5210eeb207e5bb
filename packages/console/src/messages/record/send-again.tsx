import { Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { record as words } from './text.ts'
import { buttonLook } from '#console/ui/button.tsx'

/** Opens the send form with this number and text. The user chooses the device, and may change both. */
export function SendAgain({ to, message }: { to: string; message: string }) {
  return (
    <Link to="/sms" search={{ to, text: message }} className={buttonLook()}>
      <Send className="size-4" aria-hidden="true" />
      {words.sendAgain}
    </Link>
  )
}
