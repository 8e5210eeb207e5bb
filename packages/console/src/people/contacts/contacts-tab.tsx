import type { Contact } from '@sdd/contract/people/contacts.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download, UserPlus } from 'lucide-react'
import { Suspense } from 'react'
import { useCompanyColumn } from '#console/accounts/companies/companies.tsx'
import { faultText } from '#console/core/api.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { firstContactColumns, lastContactColumns } from './contact-columns.tsx'
import { contactsQuery, downloadContacts, listsQuery } from './contacts.ts'
import type { ContactSearch } from './search.ts'
import { contacts as words } from './text.ts'
import { Button, buttonLook } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { Select } from '#console/ui/field.tsx'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { saveFile } from '#console/ui/save-file.ts'
import { SearchField } from '#console/ui/search-field.tsx'
import { toast } from '#console/ui/toast.tsx'
import { useSearch } from '#console/ui/use-search.ts'

const ContactDialog = lazyPart(() => import('./contact-dialog.tsx'))

/** The contacts of the company, and one of them in a dialog. */
export default function ContactsTab({
  address: { search, list, open, company },
  change,
}: {
  address: ContactSearch
  change: (next: Partial<ContactSearch>) => void
}) {
  const queryClient = useQueryClient()
  const rows = usePages(contactsQuery({ search, list }))
  const columns = useCompanyColumn(
    firstContactColumns(),
    lastContactColumns(),
    'card:text-sm card:text-muted',
  )
  const { field, clear } = useSearch(search, (value) => change({ search: value?.trim() || undefined }))
  const close = () => change({ open: undefined, company: undefined })
  const show = ({ number, company_id }: Contact) => change({ open: number, company: String(company_id) })
  const showAll = () => {
    clear()
    change({ search: undefined, list: undefined })
  }

  return (
    <>
      <ListScreen
        list={rows}
        words={words}
        bar={
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 max-md:gap-x-2">
            <SearchField {...field} placeholder={words.search} className="w-[270px] max-md:w-full" />
            <ListFilter chosen={list} onChoose={(next) => change({ list: next })} />
            <span className="ml-auto flex flex-wrap gap-2 max-md:w-full">
              <ExportButton list={list} />
              <Link to="/contacts/import" className={buttonLook()}>
                {words.importFile}
              </Link>
              <Button tone="primary" onClick={() => change({ open: 'new' })}>
                <UserPlus className="size-4" aria-hidden="true" />
                {words.add}
              </Button>
            </span>
          </div>
        }
        keyOf={keyOf}
        columns={columns}
        cards="'number consent' auto 'name name' auto 'lists lists' auto 'company company' auto/1fr auto"
        rowLook="card:min-h-[92px]"
        tabular="(min-width: 1000px)"
        rowHeight={{ table: 46, card: 92 }}
        acts={{ open: show }}
        onRow={show}
        onCopy={({ number }) => void copyText(number, words.copied(number))}
        empty={
          search === undefined && list === undefined ? (
            <EmptyList said={words.empty} hint={words.emptyHint} />
          ) : (
            <EmptyList said={words.emptyFiltered} action={{ label: text.clearFilters, run: showAll }} />
          )
        }
      />
      <Suspense>
        {open !== undefined && (
          <ContactDialog
            key={`${company} ${open}`}
            number={open === 'new' ? undefined : open}
            company={company}
            onClose={close}
            onChanged={() => {
              close()
              void queryClient.invalidateQueries({ queryKey: ['contacts'] })
            }}
          />
        )}
      </Suspense>
    </>
  )
}

function keyOf({ company_id, number }: Contact): string {
  return `${company_id} ${number}`
}

/** The lists that have contacts, and the chosen one even if it has none. */
function ListFilter({
  chosen,
  onChoose,
}: {
  chosen: string | undefined
  onChoose: (list: string | undefined) => void
}) {
  const { data: lists = [] } = useQuery(listsQuery())
  if (lists.length === 0 && chosen === undefined) return null
  const isListed = chosen === undefined || lists.some(({ name }) => name === chosen)
  return (
    <Select
      aria-label={words.filter}
      className="max-md:flex-1"
      value={chosen ?? ''}
      onChange={({ target }) => onChoose(target.value || undefined)}
    >
      <option value="">{words.anyList}</option>
      {!isListed && <option value={chosen}>{chosen}</option>}
      {lists.map(({ name, contacts }) => (
        <option key={name} value={name}>
          {words.listOption(name, formatCount(contacts))}
        </option>
      ))}
    </Select>
  )
}

/** Saves all contacts, or those of the list, as a file for programs; only admins may. It has no search. */
function ExportButton({ list }: { list: string | undefined }) {
  const role = useRole()
  const { mutate, isPending } = useMutation({
    mutationFn: () => downloadContacts(list),
    onSuccess: ({ file, name = 'contacts.csv' }) => saveFile(file, name),
    onError: (fault) => toast({ text: faultText(fault, words.exportFailed) }),
  })
  if (!holds(role, 'contacts:export')) return null
  return (
    <Button title={words.csvTitle(list)} disabled={isPending} aria-busy={isPending} onClick={() => mutate()}>
      <Download className="size-4" aria-hidden="true" />
      {words.csv}
    </Button>
  )
}
