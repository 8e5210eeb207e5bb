import { AuditSubject, type AuditEntry } from '@sdd/contract/accounts/audit.ts'
import { lazy, Suspense, useMemo, useRef } from 'react'
import { auditColumns } from './audit-columns.tsx'
import { auditQuery, type AuditFilter } from './entries.ts'
import { companyColumns, useCompanies } from '#console/accounts/companies/companies.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { audit as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { ListTable } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useDraft } from '#console/ui/use-draft.ts'
import { useMedia } from '#console/ui/use-media.ts'
import './audit.css'

const AuditDialog = lazy(() => import('./audit-dialog.tsx'))

/** Narrower than this, each entry is a card. */
const TABULAR = '(min-width: 1000px)'

type Address = AuditFilter & {
  /** The id of the entry that is open. */
  open: string | undefined
}

export default function AuditTab({
  open,
  onChange,
  ...filter
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const { subject, search, from, to } = filter
  const { rows, failed, hasMore, more, retry } = usePages(auditQuery(filter))
  const companies = useCompanies()
  const cards = !useMedia(TABULAR)
  const withAddress = useMedia('(min-width: 1280px)') || cards
  const columns = useMemo(
    () => auditColumns(companyColumns(companies), (id) => onChange({ open: String(id) }), withAddress),
    [companies, onChange, withAddress],
  )
  const filtered = subject !== undefined || search !== undefined || from !== undefined || to !== undefined
  const clear = () => onChange({ subject: undefined, search: undefined, from: undefined, to: undefined })

  return (
    <>
      <Filters filter={filter} onChange={onChange} onClear={filtered ? clear : undefined} />
      {failed && (
        <Notice tone="bad" retry={{ label: text.retry, run: retry }}>
          {failed === 'rest' ? text.moreFailed : words.loadFailed} {rows && failed === 'all' && text.kept}
        </Notice>
      )}
      {(rows || !failed) && (
        <ListTable
          label={words.title}
          region={words.list}
          rows={rows}
          keyOf={idOf}
          columns={columns}
          className="audit-table"
          stateOf={noState}
          tabular={TABULAR}
          rowHeight={{ table: 40, card: 132 }}
          hasMore={hasMore}
          onMore={more}
          onCopy={({ name }) => name !== null && void copyText(name, words.copied(name))}
        >
          {rows?.length === 0 &&
            (filtered ? (
              <>
                <p className="mb-3">{words.emptyFiltered}</p>
                <Button onClick={clear}>{text.clearFilters}</Button>
              </>
            ) : (
              <>
                <p className="mb-1">{words.empty}</p>
                <p className="text-sm">{words.emptyHint}</p>
              </>
            ))}
        </ListTable>
      )}
      {open !== undefined && rows && (
        <Suspense>
          <AuditDialog
            entry={rows.find(({ id }) => String(id) === open)}
            onClose={() => onChange({ open: undefined })}
          />
        </Suspense>
      )}
    </>
  )
}

function Filters({
  filter,
  onChange,
  onClear,
}: {
  filter: AuditFilter
  onChange: (next: Partial<AuditFilter>) => void
  /** Undefined where nothing is filtered. */
  onClear: (() => void) | undefined
}) {
  const searchInput = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useDraft(
    filter.search ?? '',
    (value) => onChange({ search: value.trim() || undefined }),
    250,
  )
  useKeys({ '/': () => searchInput.current?.focus() })
  return (
    <div className="flex flex-wrap items-end gap-3 max-md:gap-2">
      <SearchField
        ref={searchInput}
        placeholder={words.search}
        value={draft}
        onValue={setDraft}
        className="w-[240px] max-md:w-full"
      />
      <Field label={words.subject} className="text-sm max-md:w-full">
        {(ids) => (
          <Select
            {...ids}
            value={filter.subject ?? ''}
            onChange={(event) =>
              onChange({ subject: AuditSubject.options.find((one) => one === event.target.value) })
            }
          >
            <option value="">{words.all}</option>
            {AuditSubject.options.map((one) => (
              <option key={one} value={one}>
                {words.subjects[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {(['from', 'to'] as const).map((name) => (
        <Field key={name} label={words[name]} className="text-sm max-md:flex-1 max-md:basis-[calc(50%-4px)]">
          {(ids) => (
            <TextInput
              {...ids}
              type="datetime-local"
              value={filter[name] ?? ''}
              onChange={(event) => onChange({ [name]: event.target.value || undefined })}
            />
          )}
        </Field>
      ))}
      {onClear && (
        <Button
          tone="ghost"
          onClick={() => {
            setDraft('')
            onClear()
          }}
        >
          {text.clearFilters}
        </Button>
      )}
    </div>
  )
}

function idOf({ id }: AuditEntry): string {
  return String(id)
}

function noState(): undefined {
  return undefined
}
