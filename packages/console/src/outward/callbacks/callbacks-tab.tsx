import { CallbackState, type Callback } from '@sdd/contract/outward/callbacks.ts'
import { lazy, Suspense, useMemo, useRef } from 'react'
import { callbackColumns } from './callback-columns.tsx'
import { callbacksQuery, useRepeat } from './calls.ts'
import { Webhooks } from './webhooks.tsx'
import { companyColumns, useCompanies } from '#console/accounts/companies/companies.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { callbacks as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { Select } from '#console/ui/field.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { ListTable } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useDraft } from '#console/ui/use-draft.ts'
import './callbacks.css'

const CallbackDialog = lazy(() => import('./callback-dialog.tsx'))

type Address = {
  state: CallbackState | undefined
  search: string | undefined
  /**
   * The id of a callback, `new` for a webhook, `webhook-` and the id of one that is about to be removed,
   * `rotate-` of one that is to be rotated.
   */
  open: string | undefined
}

export default function CallbacksTab({
  state,
  search,
  open,
  onChange,
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const { rows, failed, hasMore, more, retry } = usePages(callbacksQuery({ state, guid: search }))
  const companies = useCompanies()
  const searchInput = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useDraft(
    search ?? '',
    (value) => onChange({ search: value.trim() || undefined }),
    250,
  )
  const { mutate: again } = useRepeat()
  const columns = useMemo(
    () => callbackColumns(companyColumns(companies), (id) => onChange({ open: String(id) }), again),
    [companies, onChange, again],
  )
  useKeys({ '/': () => searchInput.current?.focus() })
  const clear = () => {
    setDraft('')
    onChange({ state: undefined, search: undefined })
  }

  return (
    <>
      <Webhooks open={open} onOpen={(next) => onChange({ open: next })} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="text-lg font-bold max-md:w-full">{words.log}</h2>
        <label className="flex items-center gap-2.5 font-semibold">
          {words.filter}
          <Select
            className="min-w-36 font-normal"
            value={state ?? ''}
            onChange={(event) =>
              onChange({ state: CallbackState.options.find((one) => one === event.target.value) })
            }
          >
            <option value="">{words.all}</option>
            {CallbackState.options.map((one) => (
              <option key={one} value={one}>
                {words.states[one]}
              </option>
            ))}
          </Select>
        </label>
        <SearchField
          ref={searchInput}
          placeholder={words.search}
          value={draft}
          onValue={setDraft}
          className="w-[270px] max-md:w-full"
        />
      </div>
      {failed && (
        <Notice tone="bad" retry={{ label: text.retry, run: retry }}>
          {failed === 'rest' ? text.moreFailed : words.loadFailed} {rows && failed === 'all' && text.kept}
        </Notice>
      )}
      {(rows || !failed) && (
        <ListTable
          label={words.log}
          region={words.list}
          rows={rows}
          keyOf={idOf}
          columns={columns}
          className="callback-table"
          stateOf={stateOf}
          tabular="(min-width: 1000px)"
          rowHeight={{ table: 42, card: 150 }}
          hasMore={hasMore}
          onMore={more}
          onCopy={({ guid }) => void copyText(guid, words.copied)}
        >
          {rows?.length === 0 &&
            (state === undefined && search === undefined ? (
              <>
                <p className="mb-1">{words.empty}</p>
                <p className="text-sm">{words.emptyHint}</p>
              </>
            ) : (
              <>
                <p className="mb-3">{words.emptyFiltered}</p>
                <Button onClick={clear}>{text.clearFilters}</Button>
              </>
            ))}
        </ListTable>
      )}
      {open !== undefined && /^\d/.test(open) && rows && (
        <Suspense>
          <CallbackDialog
            callback={rows.find(({ id }) => String(id) === open)}
            onClose={() => onChange({ open: undefined })}
          />
        </Suspense>
      )}
    </>
  )
}

function idOf({ id }: Callback): string {
  return String(id)
}

function stateOf({ state }: Callback): string {
  return state
}
