import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useForm } from '#console/core/form.ts'
import { removeCampaign } from '#console/people/campaigns/campaigns.ts'
import { newCampaign as words } from './text.ts'
import type { EditorState } from './use-editor.ts'
import { Confirm } from '#console/ui/confirm.tsx'

/** Asks before a draft and its rows are removed. */
export default function DiscardDialog({
  editor: { id, saver },
  onClose,
}: {
  editor: EditorState
  onClose: () => void
}) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const form = useForm({
    save: async () => {
      if (id !== undefined) await removeCampaign(id)
    },
    failed: words.discardFailed,
    onSaved() {
      saver.drop()
      // The lists load when they are shown; this screen has nothing to load any more.
      void queryClient.invalidateQueries({ queryKey: ['campaigns'], refetchType: 'none' })
      void navigate({ to: '/campaigns' })
    },
  })
  return (
    <Confirm
      title={words.discardTitle}
      action={words.discard}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>{words.discardText}</p>
    </Confirm>
  )
}
