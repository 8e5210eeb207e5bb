import type { CampaignDetail } from '@sdd/contract/people/campaigns.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Pause, Play, Square, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { faultText } from '#console/core/api.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useRole } from '#console/core/use-role.ts'
import { actOn, type CampaignAction } from './campaign-calls.ts'
import { campaignQuery } from './campaigns.ts'
import { campaignPage as words } from './page-text.ts'
import { isRemovable } from './order.ts'
import { PhasePill } from './phase-pill.tsx'
import { phaseOf } from './progress.ts'
import { rowsFile } from './rows-file.ts'
import { campaigns as listWords } from './text.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { toast } from '#console/ui/toast.tsx'

const RemoveDialog = lazyPart(() => import('./remove-dialog.tsx'))
const StopDialog = lazyPart(() => import('./stop-dialog.tsx'))
const CsvButtons = lazyPart(() => import('#console/ui/csv-buttons.tsx'))

/** The campaign's state, and what may be done with it: by the buttons, or with `p`. */
export function CampaignActions({ campaign }: { campaign: CampaignDetail }) {
  const { id, state } = campaign
  const manages = holds(useRole(), 'campaigns:manage')
  const [asks, setAsks] = useState<'stop' | 'remove'>()
  const close = () => setAsks(undefined)
  const navigate = useNavigate()
  const now = useNow()
  const { act, pending } = useCampaignAction(id)
  const runs = state === 'running' || state === 'scheduled'
  const can = manages && (runs || state === 'paused')
  const toggle = () => !pending && act(runs ? 'pause' : 'resume')
  useKeys({ p: can ? toggle : undefined })
  return (
    <div className="ml-auto flex flex-wrap items-center gap-2 max-lg:w-full">
      <span className="max-lg:hidden">
        <PhasePill phase={phaseOf(campaign, now)} />
      </span>
      <span className="flex flex-wrap gap-2 max-md:gap-1.5 max-md:[&_button]:px-2.5">
        {can && (
          <>
            <Button needsServer disabled={pending} aria-busy={pending} onClick={toggle}>
              {runs ? (
                <Pause className="size-4" aria-hidden="true" />
              ) : (
                <Play className="size-4" aria-hidden="true" />
              )}
              {runs ? words.pause : words.resume}
            </Button>
            <Button needsServer className="text-bad!" onClick={() => setAsks('stop')}>
              <Square className="size-4" aria-hidden="true" />
              {words.stop}
            </Button>
          </>
        )}
        {state !== 'draft' && (
          <Suspense fallback={<span className="h-[34px] w-[160px] max-md:h-11" />}>
            <CsvButtons source={rowsFile(id, {})} />
          </Suspense>
        )}
        {manages && isRemovable(state) && (
          <Button needsServer onClick={() => setAsks('remove')}>
            <Trash2 className="size-4" aria-hidden="true" />
            {listWords.remove}
          </Button>
        )}
      </span>
      <Suspense>
        {asks === 'stop' && <StopDialog campaign={campaign} onClose={close} />}
        {asks === 'remove' && (
          <RemoveDialog
            campaign={campaign}
            onRemoved={() => void navigate({ to: '/campaigns' })}
            onClose={close}
          />
        )}
      </Suspense>
    </div>
  )
}

/** Pauses or resumes at once, and offers to undo a pause. */
function useCampaignAction(id: number) {
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationKey: ['campaign-act'],
    mutationFn: (action: CampaignAction) => actOn(id, action),
    onSuccess(reply, action) {
      queryClient.setQueryData(campaignQuery(id).queryKey, (known) => known && { ...known, ...reply })
      void queryClient.invalidateQueries({ queryKey: ['campaigns'] })
      if (action === 'pause')
        toast({
          text: words.paused(reply.counts.handed),
          action: { label: words.undo, run: () => mutate('resume') },
          fades: true,
        })
      else toast({ text: words.resumed })
    },
    onError(fault) {
      toast({ text: faultText(fault, words.actFailed) })
      void queryClient.invalidateQueries({ queryKey: ['campaigns'] })
    },
  })
  return { act: mutate, pending: isPending }
}
