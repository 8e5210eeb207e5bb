import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { faultText } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { campaignQuery } from '#console/people/campaigns/campaigns.ts'
import { Editor } from './editor.tsx'
import { newCampaign as words } from './text.ts'
import { buttonLook } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

const route = getRouteApi('/shell/campaigns/new')

/**
 * Writes the draft of a campaign, from its rows to its start. The return type is named, because the types of the router
 * depend on it.
 */
export function NewCampaignScreen(): ReactNode {
  const { draft } = route.useSearch()
  const navigate = route.useNavigate()
  const [shown, setShown] = useState({ draft, edition: 0 })
  const [created, setCreated] = useState<string>()
  if (draft !== shown.draft) {
    // The address got the id of the draft that this editor created; any other one is another draft.
    const same = draft !== undefined && draft === created
    setShown({ draft, edition: shown.edition + (same ? 0 : 1) })
    if (!same) setCreated(undefined)
  }
  if (!holds(useRole(), 'campaigns:manage')) {
    return (
      <Page title={words.title} beside={<Back />}>
        <Body>
          <Notice tone="bad">{text.forbidden}</Notice>
        </Body>
      </Page>
    )
  }
  function onCreated(id: number): void {
    setCreated(String(id))
    void navigate({ search: (now) => ({ ...now, draft: String(id) }), replace: true })
  }
  return draft === undefined || draft === created ? (
    <Editor key={shown.edition} campaign={undefined} onCreated={onCreated} />
  ) : (
    <Stored key={shown.edition} id={Number(draft)} />
  )
}

/** A draft that was saved before. It is read once: from then on the screen has the newest. */
function Stored({ id }: { id: number }) {
  const { data, error, refetch } = useQuery({
    ...campaignQuery(id),
    // Of its own, because the page of the campaign keeps the text that it has loaded.
    queryKey: ['campaigns', 'draft', id],
    meta: { refresh: 'own' },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (data?.state === 'draft') return <Editor campaign={data} onCreated={() => undefined} />
  return (
    <Page title={words.title} beside={<Back />}>
      <Body>
        {data ? (
          <>
            <Notice tone="warn">{words.started(data.name)}</Notice>
            <Link to="/campaigns/$id" params={{ id: String(id) }} className={buttonLook({ tone: 'primary' })}>
              {words.see}
            </Link>
          </>
        ) : error ? (
          <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
            {faultText(error, words.loadFailed)}
          </Notice>
        ) : (
          <Skeleton kind="form" />
        )}
      </Body>
    </Page>
  )
}

function Body({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-start gap-3 overflow-y-auto px-6 pb-6 *:w-full max-md:p-3">
      {children}
    </div>
  )
}

function Back() {
  return (
    <Link to="/campaigns" className={`ml-auto max-md:hidden ${buttonLook()}`}>
      {words.back}
    </Link>
  )
}
