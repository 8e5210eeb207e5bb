import { useServerGone } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'

/** Says why a form cannot be sent now. It is empty while the server answers. */
export function GoneReason() {
  return useServerGone() && <p className="w-full text-sm font-medium text-bad">{text.serverGone}</p>
}
