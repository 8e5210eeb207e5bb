import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { usePages } from '#console/core/pages.ts'
import { useRole } from '#console/core/use-role.ts'
import { campaignColumns } from './campaign-columns.tsx'
import { campaignsQuery } from './campaigns.ts'
import { campaigns as words } from './text.ts'
import { buttonLook } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { Page } from '#console/ui/page.tsx'

const route = getRouteApi('/shell/campaigns')

export function CampaignsScreen() {
  const navigate = route.useNavigate()
  const rows = usePages(campaignsQuery(undefined, undefined))
  const show = ({ id }: Campaign) => void navigate({ to: '/campaigns/$id', params: { id: String(id) } })
  return (
    <Page
      title={words.title}
      beside={
        holds(useRole(), 'campaigns:manage') && (
          <Link to="/campaigns/new" className={`ml-auto ${buttonLook()}`}>
            <Plus className="size-4" aria-hidden="true" />
            {words.add}
          </Link>
        )
      }
    >
      <div className="relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:pt-3 max-md:pb-3">
        <ListScreen
          list={rows}
          words={words}
          keyOf={keyOf}
          columns={campaignColumns()}
          rowLook="card:[grid-template:'name_state'_auto_'rows_rows'_auto/1fr_auto]"
          tabular="(min-width: 900px)"
          rowHeight={{ table: 48, card: 92 }}
          acts={{ open: show }}
          onRow={show}
          onCopy={({ name }) => void copyText(name, words.copied(name))}
          empty={<EmptyList said={words.empty} hint={words.emptyHint} />}
        />
      </div>
    </Page>
  )
}

function keyOf({ id }: Campaign): number {
  return id
}
