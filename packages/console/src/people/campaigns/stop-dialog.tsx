import type { CampaignDetail } from '@sdd/contract/people/campaigns.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useForm } from '#console/core/form.ts'
import { actOn } from './campaign-calls.ts'
import { campaignQuery } from './campaigns.ts'
import { campaignPage as words } from './page-text.ts'
import { progressOf } from './progress.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** Asks before stopping: how many messages are never sent, and how many may still go out. */
export default function StopDialog({ campaign, onClose }: { campaign: CampaignDetail; onClose: () => void }) {
  const { id, name, counts } = campaign
  const { left } = progressOf(campaign)
  const queryClient = useQueryClient()
  const form = useForm({
    save: () => actOn(id, 'stop'),
    failed: words.actFailed,
    onSaved(reply) {
      queryClient.setQueryData(campaignQuery(id).queryKey, (known) => known && { ...known, ...reply })
      void queryClient.invalidateQueries({ queryKey: ['campaigns'] })
      onClose()
    },
  })
  return (
    <Confirm
      title={words.stopTitle(name)}
      action={words.stopYes}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>
        <b className="font-semibold">{words.stopLeft(left, formatCount(left))}</b>{' '}
        {counts.handed > 0 && words.stopHeld(counts.handed, formatCount(counts.handed))}
      </p>
      <p>{words.stopFinal}</p>
    </Confirm>
  )
}
