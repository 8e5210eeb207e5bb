import type { LinkCode } from '@sdd/contract/fleet/devices.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useForm } from '#console/core/form.ts'
import { reloadIfLoading } from '#console/core/query.ts'
import { linking as words } from './linking-text.ts'
import { endLinkCode, linkCodesQuery } from './linking.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { toast } from '#console/ui/toast.tsx'

export function RevokeCode({ code, onClose }: { code: LinkCode; onClose: () => void }) {
  const queryClient = useQueryClient()
  const form = useForm({
    save: () => endLinkCode(code.id),
    failed: words.revokeFailed,
    onSaved() {
      queryClient.setQueryData(linkCodesQuery.queryKey, (all) => all?.filter(({ id }) => id !== code.id))
      reloadIfLoading(queryClient, linkCodesQuery.queryKey)
      toast({ text: words.revoked(code.hint) })
      onClose()
    },
  })

  return (
    <Confirm
      title={words.revokeOne(code.hint)}
      action={words.revoke}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>{words.revokeMeans(code.uses_left)}</p>
      <p className="text-muted">{words.revokeKeeps}</p>
    </Confirm>
  )
}
