import { holds } from '@sdd/contract/core/roles.ts'
import type { Template } from '@sdd/contract/people/templates.ts'
import { useQueryClient } from '@tanstack/react-query'
import { FilePlus2 } from 'lucide-react'
import { Suspense } from 'react'
import { useCompanyColumn } from '#console/accounts/companies/companies.tsx'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useRows } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { nameButtonColumn, nameColumn, removeColumn, textColumn } from './template-columns.tsx'
import { templatesQuery } from './templates.ts'
import { templates as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { foldText } from '#console/ui/fold.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useSearch } from '#console/ui/use-search.ts'

const OpenTemplate = lazyPart(() => import('./template-dialogs.tsx'))

type Address = {
  search: string | undefined
  /** `new`, the id of the open template, or `remove-` and the id of the one to delete. */
  open: string | undefined
}

/** The company's texts. Admins change them; everybody sees them. */
export default function TemplatesTab({
  search,
  open,
  onChange,
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const queryClient = useQueryClient()
  const list = useRows(templatesQuery)
  const manages = holds(useRole(), 'templates:manage')
  const columns = useCompanyColumn(
    manages ? nameButtonColumn() : nameColumn(),
    manages ? [...textColumn(), ...removeColumn()] : textColumn(),
    'card:text-sm card:text-muted',
  )
  const { field, clear } = useSearch(search, (value) => onChange({ search: value?.trim() || undefined }))
  const wanted = foldText(search ?? '')
  const shown = list.rows?.filter((row) => foldText(`${row.name} ${row.text}`).includes(wanted))
  const close = () => onChange({ open: undefined })
  const changed = () => {
    close()
    void queryClient.invalidateQueries({ queryKey: ['templates'] })
  }
  const show = ({ id }: Template) => onChange({ open: String(id) })

  return (
    <>
      <ListScreen
        list={list}
        shown={shown}
        words={words}
        bar={
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <SearchField {...field} placeholder={words.search} className="w-[270px] max-md:w-full" />
            {manages && (
              <Button
                tone="primary"
                className="ml-auto max-md:w-full"
                onClick={() => onChange({ open: 'new' })}
              >
                <FilePlus2 className="size-4" aria-hidden="true" />
                {words.add}
              </Button>
            )}
          </div>
        }
        keyOf={idOf}
        columns={columns}
        cards="'name actions' auto 'text actions' auto 'company company' auto/1fr auto"
        rowLook="card:min-h-[92px]"
        tabular="(min-width: 900px)"
        rowHeight={{ table: 46, card: 92 }}
        acts={manages ? { open: show, remove: ({ id }) => onChange({ open: `remove-${id}` }) } : {}}
        onRow={manages ? show : undefined}
        onCopy={(row) => void copyText(row.text, words.copied)}
        empty={
          search === undefined ? (
            <EmptyList said={words.empty} hint={words.emptyHint} />
          ) : (
            <EmptyList said={words.emptyFiltered} action={{ label: text.clearFilters, run: clear }} />
          )
        }
      />
      {manages && open !== undefined && list.rows && (
        <Suspense>
          <OpenTemplate key={open} open={open} rows={list.rows} onClose={close} onChanged={changed} />
        </Suspense>
      )}
    </>
  )
}

function idOf({ id }: Template): number {
  return id
}
