import * as z from 'zod/mini'
import { useKeptDraft, withoutSent } from '#console/core/drafts.ts'
import { settings as words } from './text.ts'

/**
 * The unsaved input of a form of settings, whose fields without input are undefined. Kept when the user leaves the tab,
 * until the page is loaded again. A reload shows the saved settings.
 */
export function useUnsaved<Draft extends object>(name: string, fields: z.ZodMiniType<Draft>, writes = true) {
  const { draft, change } = useKeptDraft<Partial<Draft>>(name, {
    read(stored) {
      const kept = writes ? Kept.safeParse(stored).data : undefined
      return fields.safeParse(kept?.draft).data ?? {}
    },
    kept: (draft) =>
      Object.values(draft).some((one) => one !== undefined)
        ? { loaded_at: performance.timeOrigin, draft }
        : undefined,
  })
  return {
    draft,
    change,
    unsaved: Object.keys(draft).length > 0,
    discard: () => change((now) => withoutSent(now, now)),
  }
}

const Kept = z.object({ loaded_at: z.literal(performance.timeOrigin), draft: z.unknown() })

/** Says that there is unsaved input, next to the form's button. */
export function UnsavedNote({
  kept: { unsaved, discard },
  form,
}: {
  kept: Pick<ReturnType<typeof useUnsaved>, 'unsaved' | 'discard'>
  form: { edited: () => void }
}) {
  if (!unsaved) return null
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-sm text-warn">
      {words.unsaved}
      <button
        type="button"
        onClick={() => {
          discard()
          form.edited()
        }}
        className="min-h-9 font-semibold underline max-md:min-h-11"
      >
        {words.discard}
      </button>
    </p>
  )
}
