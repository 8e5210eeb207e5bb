import { AuditSubject } from '@sdd/contract/accounts/audit.ts'
import { Suspense } from 'react'
import { addressColumn, firstAuditColumns, lastAuditColumns } from './audit-columns.tsx'
import { auditKinds, auditQuery, type AuditFilter } from './entries.ts'
import { ExportButton } from './export-button.tsx'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useCompanyColumn } from '#console/accounts/companies/companies.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { audit as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useMedia } from '#console/ui/use-media.ts'
import { useSearch } from '#console/ui/use-search.ts'

const AuditDialog = lazyPart(() => import('./audit-dialog.tsx'))

/** On narrower screens, each entry is a card. */
const TABULAR = '(min-width: 1000px)'

type Address = AuditFilter & {
  open: string | undefined
}

export default function AuditTab({
  open,
  onChange,
  ...filter
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const { subject, kind, search, from, to } = filter
  const list = usePages(auditQuery(filter))
  const cards = !useMedia(TABULAR)
  const withAddress = useMedia('(min-width: 1280px)') || cards
  const columns = useCompanyColumn(
    withAddress ? [...firstAuditColumns(), addressColumn()] : firstAuditColumns(),
    lastAuditColumns(),
    'text-muted tabular-nums',
  )
  const filtered = [subject, kind, search, from, to].some((value) => value !== undefined)
  const clear = () =>
    onChange({ subject: undefined, kind: undefined, search: undefined, from: undefined, to: undefined })

  return (
    <>
      <Filters filter={filter} onChange={onChange} onClear={filtered ? clear : undefined} />
      <ListScreen
        list={list}
        words={words}
        keyOf={({ id }) => id}
        columns={columns}
        look="text-sm"
        cards="'action open' auto 'name open' auto 'changes changes' auto 'by at' auto 'address address' auto 'company company' auto/1fr auto"
        rowLook="card:min-h-[132px]"
        tabular={TABULAR}
        rowHeight={{ table: 40, card: 132 }}
        acts={{ open: ({ id }) => onChange({ open: String(id) }) }}
        onCopy={(entry) =>
          entry.name !== null && void copyText(entry.name, words.copied(words.nameOf(entry)))
        }
        empty={
          filtered ? (
            <EmptyList said={words.emptyFiltered} action={{ label: text.clearFilters, run: clear }} />
          ) : (
            <EmptyList said={words.empty} hint={words.emptyHint} />
          )
        }
      />
      {open !== undefined && list.rows && (
        <Suspense>
          <AuditDialog
            entry={list.rows.find(({ id }) => String(id) === open)}
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
  /** Undefined if no filter is set. */
  onClear: (() => void) | undefined
}) {
  const search = useSearch(filter.search, (value) => onChange({ search: value?.trim() || undefined }))
  return (
    <div className="flex flex-wrap items-end gap-3 max-md:gap-2">
      <SearchField {...search.field} placeholder={words.search} className="w-[240px] max-md:w-full" />
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
      <Field label={words.kind} className="text-sm max-md:w-full">
        {(ids) => (
          <Select
            {...ids}
            value={filter.kind ?? ''}
            onChange={({ target }) => onChange({ kind: auditKinds.find((one) => one === target.value) })}
          >
            <option value="">{words.all}</option>
            {auditKinds.map((one) => (
              <option key={one} value={one}>
                {words.kinds[one]}
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
      <ExportButton filter={filter} />
      {onClear && (
        <Button
          tone="ghost"
          onClick={() => {
            search.clear()
            onClear()
          }}
        >
          {text.clearFilters}
        </Button>
      )}
    </div>
  )
}
