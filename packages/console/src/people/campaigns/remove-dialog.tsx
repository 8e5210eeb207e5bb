import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useForm } from '#console/core/form.ts'
import { removeCampaign } from './campaigns.ts'
import { campaigns as words } from './text.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { toast } from '#console/ui/toast.tsx'

/** Asks before a draft or an ended campaign is removed, and says which messages stay. */
export default function RemoveDialog({
  campaign: { id, name, state, rows },
  onRemoved,
  onClose,
}: {
  campaign: Campaign
  onRemoved: () => void
  onClose: () => void
}) {
  const queryClient = useQueryClient()
  const form = useForm({
    save: () => removeCampaign(id),
    failed: words.removeFailed,
    onSaved() {
      toast({ text: words.removed(name) })
      onRemoved()
      queryClient.removeQueries({ queryKey: ['campaigns', 'one', id] })
      void queryClient.invalidateQueries({ queryKey: ['campaigns'] })
    },
  })
  return (
    <Confirm
      title={words.removeTitle(name)}
      action={words.remove}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>{state === 'draft' ? words.removeDraft : words.removeEnded(rows, formatCount(rows))}</p>
      <p>{words.removeFinal}</p>
    </Confirm>
  )
}
