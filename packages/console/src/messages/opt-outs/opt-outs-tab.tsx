import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { UserX } from 'lucide-react'
import { lazy, Suspense, useMemo, useRef } from 'react'
import { companyColumns, useCompanies } from '#console/accounts/companies/companies.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { optOuts as words } from './text.ts'
import { optOutColumns } from './opt-out-columns.tsx'
import { optOutsQuery } from './calls.ts'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { useKeys } from '#console/ui/keys.ts'
import { ListTable } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useDraft } from '#console/ui/use-draft.ts'
import './opt-outs.css'

const BlockForm = lazy(() => import('./block-form.tsx'))
const LiftDialog = lazy(() => import('./lift-dialog.tsx'))

type Address = {
  search: string | undefined
  /** `new`, or the id of the block that is about to be lifted. */
  open: string | undefined
}

export default function OptOutsTab({
  search,
  open,
  onChange,
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const queryClient = useQueryClient()
  const { rows, failed, hasMore, more, retry } = usePages(optOutsQuery(search))
  const companies = useCompanies()
  const searchInput = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useDraft(
    search ?? '',
    (value) => onChange({ search: value.trim() || undefined }),
    250,
  )
  const columns = useMemo(
    () => optOutColumns(companyColumns(companies), (id) => onChange({ open: String(id) })),
    [companies, onChange],
  )
  const close = () => onChange({ open: undefined })
  const changed = () => {
    close()
    void queryClient.invalidateQueries({ queryKey: ['opt_outs'] })
  }
  useKeys({ '/': () => searchInput.current?.focus() })

  return (
    <>
      {failed && (
        <Notice tone="bad" retry={{ label: text.retry, run: retry }}>
          {failed === 'rest' ? text.moreFailed : words.loadFailed} {rows && failed === 'all' && text.kept}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          ref={searchInput}
          placeholder={words.search}
          value={draft}
          onValue={setDraft}
          className="w-[270px] max-md:w-full"
        />
        <StopWords />
        <Button tone="primary" className="ml-auto max-md:w-full" onClick={() => onChange({ open: 'new' })}>
          <UserX className="size-4" aria-hidden="true" />
          {words.add}
        </Button>
      </div>
      {(rows || !failed) && (
        <ListTable
          label={words.title}
          region={words.list}
          rows={rows}
          keyOf={idOf}
          columns={columns}
          className="opt-out-table"
          stateOf={noState}
          tabular="(min-width: 900px)"
          rowHeight={{ table: 46, card: 92 }}
          hasMore={hasMore}
          onMore={more}
          onCopy={({ number }) => void copyText(number, words.copied(number))}
        >
          {rows?.length === 0 &&
            (search === undefined ? (
              <>
                <p className="mb-1">{words.empty}</p>
                <p className="text-sm">{words.emptyHint}</p>
              </>
            ) : (
              <>
                <p className="mb-3">{words.emptyFiltered}</p>
                <Button onClick={() => setDraft('')}>{words.clear}</Button>
              </>
            ))}
        </ListTable>
      )}
      <Suspense>
        {open === 'new' && <BlockForm onClose={close} onBlocked={changed} />}
        {open !== undefined && open !== 'new' && rows && (
          <LiftDialog
            key={open}
            optOut={rows.find(({ id }) => String(id) === open)}
            onClose={close}
            onLifted={changed}
          />
        )}
      </Suspense>
    </>
  )
}

/** With which words people block themselves; where one sees several companies, those of one's own. */
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

function idOf({ id }: OptOut): string {
  return String(id)
}

function noState(): undefined {
  return undefined
}
