import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { UserX } from 'lucide-react'
import { Suspense } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useCompanyColumn } from '#console/accounts/companies/companies.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { optOuts as words } from './text.ts'
import { firstOptOutColumns, lastOptOutColumns } from './opt-out-columns.tsx'
import { optOutsQuery } from './calls.ts'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { SelectButton } from '#console/ui/select-button.tsx'
import { useSelection } from '#console/ui/use-selection.ts'
import { SearchField } from '#console/ui/search-field.tsx'
import { useSearch } from '#console/ui/use-search.ts'

const BlockForm = lazyPart(() => import('./block-form.tsx'))
const OptOutActions = lazyPart(() => import('./opt-out-actions.tsx'))
const LiftDialog = lazyPart(() => import('./lift-dialog.tsx'))

type Address = {
  search: string | undefined
  /** `new`, or the id of the block to lift. */
  open: string | undefined
}

export default function OptOutsTab({
  search,
  open,
  onChange,
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const queryClient = useQueryClient()
  const list = usePages(optOutsQuery(search))
  const columns = useCompanyColumn(firstOptOutColumns(), lastOptOutColumns(), 'card:text-sm card:text-muted')
  const { field, clear } = useSearch(search, (value) => onChange({ search: value?.trim() || undefined }))
  const rows = list.rows ?? []
  const selection = useSelection({ all: rows, shown: rows, keyOf: idOf, nameOf: numberOf })
  const close = () => onChange({ open: undefined })
  const changed = () => {
    close()
    void queryClient.invalidateQueries({ queryKey: ['opt_outs'] })
  }

  return (
    <>
      <ListScreen
        list={list}
        words={words}
        bar={
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <SearchField {...field} placeholder={words.search} className="w-[270px] max-md:w-full" />
            <SelectButton selection={selection} />
            <StopWords />
            <Button
              needsServer
              tone="primary"
              className="ml-auto max-md:w-full"
              onClick={() => onChange({ open: 'new' })}
            >
              <UserX className="size-4" aria-hidden="true" />
              {words.add}
            </Button>
          </div>
        }
        keyOf={idOf}
        selection={selection}
        columns={columns}
        cards="'number actions' auto 'why actions' auto 'company actions' auto 'since actions' auto/1fr auto"
        rowLook="card:min-h-[92px]"
        tabular="(min-width: 1000px)"
        rowHeight={{ table: 46, card: 92 }}
        acts={{ lift: ({ id }) => onChange({ open: String(id) }) }}
        onCopy={({ number }) => void copyText(number, words.copied(number))}
        empty={
          search === undefined ? (
            <EmptyList said={words.empty} hint={words.emptyHint} />
          ) : (
            <EmptyList said={words.emptyFiltered} action={{ label: text.clearFilters, run: clear }} />
          )
        }
      />
      {selection.on && (
        <Suspense>
          <div className="-mx-6 -mb-6 max-md:-mx-3 max-md:-mb-3">
            <OptOutActions selection={selection} shown={rows.length} isRest={list.hasMore} />
          </div>
        </Suspense>
      )}
      <Suspense>
        {open === 'new' && <BlockForm onClose={close} onBlocked={changed} />}
        {open !== undefined && open !== 'new' && list.rows && (
          <LiftDialog
            key={open}
            optOut={list.rows.find(({ id }) => String(id) === open)}
            onClose={close}
            onLifted={changed}
          />
        )}
      </Suspense>
    </>
  )
}

function idOf({ id }: OptOut): number {
  return id
}

function numberOf({ number }: OptOut): string {
  return number
}

/** The words that block a number; those of the user's own company if they see several. */
function StopWords() {
  const { data: records } = useQuery(globalSettingsQuery)
  const stopWords = records?.[0]?.stop_words
  if (!stopWords) return null
  return (
    <p className="min-w-0 text-sm text-muted">
      {words.words}{' '}
      {stopWords.length === 0 ? words.noWords : <b className="text-ink">{stopWords.join(', ')}</b>}{' '}
      <Link to="/settings" className="text-link underline">
        {words.editWords}
      </Link>
    </p>
  )
}
