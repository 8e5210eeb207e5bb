import { CallbackState, type Callback } from '@sdd/contract/outward/callbacks.ts'
import { Suspense } from 'react'
import { firstCallbackColumns, lastCallbackColumns } from './callback-columns.tsx'
import { callbacksQuery, useRepeat } from './calls.ts'
import { Webhooks } from './webhooks.tsx'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useCompanyColumn } from '#console/accounts/companies/companies.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { callbacks as words } from './text.ts'
import { copyText } from '#console/ui/copy.ts'
import { Select } from '#console/ui/field.tsx'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useSearch } from '#console/ui/use-search.ts'

const RepeatAll = lazyPart(() => import('./repeat-all.tsx'))
const CallbackDialog = lazyPart(() => import('./callback-dialog.tsx'))

type Address = {
  state: CallbackState | undefined
  search: string | undefined
  /**
   * A callback's id, `new` for a webhook, `webhook-` and the id of a webhook to remove, or `rotate-` and the id of a
   * webhook whose secret to rotate.
   */
  open: string | undefined
}

export default function CallbacksTab({
  state,
  search,
  open,
  onChange,
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const list = usePages(callbacksQuery({ state, guid: search }))
  const columns = useCompanyColumn(firstCallbackColumns(), lastCallbackColumns(), 'card:text-muted')
  const { field, clear } = useSearch(search, (value) => onChange({ search: value?.trim() || undefined }))
  const repeat = useRepeat()
  const showAll = () => {
    clear()
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
        <SearchField {...field} placeholder={words.search} className="w-[270px] max-md:w-full" />
        <Suspense>{state === 'dead' && <RepeatAll />}</Suspense>
      </div>
      <ListScreen
        list={list}
        words={{ ...words, title: words.log }}
        keyOf={({ id }) => id}
        columns={columns}
        look="text-sm"
        cards="'guid state' auto 'type time' auto 'url url' auto 'company company' auto 'last last' auto 'actions actions' auto/1fr auto"
        rowLook="data-[state=dead]:[--edge:var(--color-bad-solid)] card:min-h-[150px]"
        dataOf={dataOf}
        tabular="(min-width: 1348px)"
        rowHeight={{ table: 42, card: 150 }}
        acts={{
          open: ({ id }) => onChange({ open: String(id) }),
          repeat: (callback) => repeat.mutate(callback),
        }}
        onCopy={({ guid }) => void copyText(guid, words.copied)}
        empty={
          state === undefined && search === undefined ? (
            <EmptyList said={words.empty} hint={words.emptyHint} />
          ) : (
            <EmptyList said={words.emptyFiltered} action={{ label: text.clearFilters, run: showAll }} />
          )
        }
      />
      {open !== undefined && /^\d/.test(open) && list.rows && (
        <Suspense>
          <CallbackDialog
            key={open}
            id={Number(open)}
            row={list.rows.find(({ id }) => String(id) === open)}
            onClose={() => onChange({ open: undefined })}
          />
        </Suspense>
      )}
    </>
  )
}

function dataOf({ state }: Callback) {
  return { 'data-state': state }
}
