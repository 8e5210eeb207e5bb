import type { Campaign, NewCampaign } from '@sdd/contract/people/campaigns.ts'
import { bodyOf, type DraftFields } from './draft.ts'

export type SaveState = {
  /** `unready`: something is missing that every draft has. */
  phase: 'unready' | 'dirty' | 'saving' | 'saved' | 'failed'
  id: number | undefined
  saved_at: string | undefined
  fault: unknown
}

/**
 * Saves a draft a while after its last change, one call at a time. `keep` holds what the server has not. `remove` gets
 * a draft that was dropped while the server created it.
 */
export function openSaver({
  put,
  remove,
  show,
  keep,
  created,
  campaign,
  pause_ms,
}: {
  put: (id: number | undefined, body: NewCampaign) => Promise<Campaign>
  remove: (id: number) => void
  show: (state: SaveState) => void
  keep: (id: number | undefined, draft: DraftFields | undefined) => void
  created: (id: number) => void
  campaign: { id: number; saved: DraftFields } | undefined
  pause_ms: number
}) {
  let state: SaveState = { ...stateOf(campaign?.id), saved_at: undefined }
  let stored = campaign && JSON.stringify(bodyOf(campaign.saved))
  let latest: DraftFields | undefined = campaign?.saved
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = false
  let dropped = false

  function now(next: Partial<SaveState>): void {
    state = { ...state, ...next }
    show(state)
  }

  async function save(): Promise<void> {
    clearTimeout(timer)
    if (running || dropped) return
    running = true
    for (let body = pending(); body !== undefined; body = pending()) {
      now({ phase: 'saving', fault: undefined })
      const isNew = state.id === undefined
      try {
        const { id } = await put(state.id, body)
        if (dropped) return isNew ? remove(id) : undefined
        stored = JSON.stringify(body)
        keep(undefined, undefined)
        // Changes made meanwhile may not be ready to be saved.
        if (isNew) keep(id, latest)
        now({ id, saved_at: new Date().toISOString() })
        if (isNew) created(id)
      } catch (fault) {
        running = false
        return now({ phase: 'failed', fault })
      }
    }
    running = false
    if (latest && bodyOf(latest)) {
      keep(state.id, undefined)
      now({ phase: 'saved' })
    }
  }

  /** What the server has not, if it would take it. */
  function pending(): NewCampaign | undefined {
    const body = latest && !dropped ? bodyOf(latest) : undefined
    return body && JSON.stringify(body) !== stored ? body : undefined
  }

  return {
    state: () => state,
    edit(draft: DraftFields): void {
      latest = draft
      keep(state.id, draft)
      clearTimeout(timer)
      if (bodyOf(draft) === undefined) return now({ phase: 'unready', fault: undefined })
      if (running) return
      now({ phase: 'dirty', fault: undefined })
      timer = setTimeout(() => void save(), pause_ms)
    },
    save: () => void save(),
    /** Saves the last changes when the screen goes. */
    leave: () => void save(),
    /** Forgets the draft, which was removed or started. */
    drop(): void {
      dropped = true
      clearTimeout(timer)
      keep(state.id, undefined)
      keep(undefined, undefined)
    },
  }
}

function stateOf(id: number | undefined): SaveState {
  return { phase: id === undefined ? 'unready' : 'saved', id, saved_at: undefined, fault: undefined }
}
