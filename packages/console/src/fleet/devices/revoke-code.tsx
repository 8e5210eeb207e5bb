import type { LinkCode } from '@sdd/contract/fleet/devices.ts'
import { useQueryClient } from '@tanstack/react-query'
import { whyOf } from '#console/core/api.ts'
import { linking as words } from './linking-text.ts'
import { endLinkCode, linkCodesQuery } from './linking.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { toast } from '#console/ui/toast.tsx'

/** Asks before no device can join by a code any more. */
export function RevokeCode({ code, onClose }: { code: LinkCode; onClose: () => void }) {
  const queryClient = useQueryClient()

  async function run(): Promise<string | undefined> {
    try {
      await endLinkCode(code.id)
    } catch (why) {
      return whyOf(why, words.revokeFailed)
    }
    queryClient.setQueryData(linkCodesQuery.queryKey, (all) => all?.filter(({ id }) => id !== code.id))
    toast({ text: words.revoked(code.hint) })
    onClose()
    return undefined
  }

  return (
    <Confirm title={words.revokeOne(code.hint)} action={words.revoke} run={run} onClose={onClose}>
      <p>{words.revokeMeans(code.uses_left)}</p>
      <p className="text-muted">{words.revokeKeeps}</p>
    </Confirm>
  )
}
