import type { CheckedRow, RowGroup } from '@sdd/contract/people/campaign-checks.ts'
import type { RowFaultCode } from '@sdd/contract/people/campaign-rows.ts'
import { ownField } from '@sdd/contract/people/template-text.ts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { faultText } from '#console/core/api.ts'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { groupQuery } from './calls.ts'
import { newCampaign as words } from './text.ts'
import type { EditorState } from './use-editor.ts'
import { Button } from '#console/ui/button.tsx'
import { TextInput } from '#console/ui/field.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { fieldTime } from '#console/ui/time.ts'
import { toast } from '#console/ui/toast.tsx'

/** The rows of a group. Invalid ones are corrected here. */
export default function GroupRows({
  editor,
  id,
  group,
}: {
  editor: EditorState
  id: number
  group: RowGroup
}) {
  const { rows, failed, hasMore, more, retry } = usePages(groupQuery(id, group, editor.version))
  const label = words.rowsOf(words.groups[group])
  if (failed === 'all') {
    return (
      <Notice tone="bad" retry={{ label: text.retry, run: retry }}>
        {words.rowsFailed}
      </Notice>
    )
  }
  return (
    <>
      <ul
        aria-label={label}
        className="mt-2 flex max-h-96 flex-col divide-y divide-line overflow-y-auto border-t border-line"
      >
        {rows?.map((row) => (
          <li key={row.row} className="py-2">
            {isCorrectable(row) ? <CorrectedRow editor={editor} row={row} /> : <PlainRow row={row} />}
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button size="sm" className="mt-2" onClick={more}>
          {words.more}
        </Button>
      )}
    </>
  )
}

/** Faults of the number, of one field, or of the time. Others are corrected in the file. */
const CORRECTABLE: ReadonlySet<RowFaultCode> = new Set([
  'invalid_number',
  'destination_refused',
  'no_route',
  'missing_field',
  'invalid_at',
])

function isCorrectable({ fault, member }: CheckedRow): boolean {
  return fault !== null && !member && CORRECTABLE.has(fault.code)
}

const grid = 'flex flex-wrap items-center gap-x-3 gap-y-1'

function PlainRow({ row: { row, number, name, text: rendered, fault, member } }: { row: CheckedRow }) {
  return (
    <div className={grid}>
      <span className="w-14 text-sm text-muted tabular-nums">{formatCount(row)}</span>
      <span lang="" className="mono w-36 wrap-anywhere">
        {number}
      </span>
      <span lang="" dir="auto" className="min-w-0 flex-1 basis-60 text-sm wrap-anywhere text-muted">
        {[name, rendered].filter(Boolean).join(' · ')}
      </span>
      {fault && <span className="text-sm font-medium text-bad">{reasonOf(fault)}</span>}
      {member && (
        <Link
          to="/contacts"
          search={{ search: number, list: undefined, open: undefined, company: undefined }}
          className="text-sm text-link underline"
        >
          {words.ofList}
        </Link>
      )}
    </div>
  )
}

/** The number, the missing field or the time as a field. Saving takes the row out of the group. */
function CorrectedRow({ editor, row }: { editor: EditorState; row: CheckedRow }) {
  const { fault } = row
  const missing = fault?.code === 'missing_field' ? String(fault.params['field']) : undefined
  const isTime = fault?.code === 'invalid_at'
  const [number, setNumber] = useState(row.number)
  const [value, setValue] = useState(missing === undefined ? '' : (ownField(row.fields, missing) ?? ''))
  const [at, setAt] = useState(row.at === null ? '' : fieldTime(Date.parse(row.at)))
  const named = formatCount(row.row)
  const saving = useMutation({
    mutationFn: () => {
      const fields = missing === undefined ? row.fields : { ...row.fields, [missing]: value }
      const time = isTime ? (at === '' ? null : new Date(at).toISOString()) : editor.timeOf(row)
      return editor.correct(row.row, { number, fields, at: time })
    },
    onSuccess: () => toast({ text: words.rowSaved(named) }),
  })
  return (
    <form
      className={grid}
      onSubmit={(event) => {
        event.preventDefault()
        if (!saving.isPending) saving.mutate()
      }}
    >
      <span className="w-14 text-sm text-muted tabular-nums">{named}</span>
      <TextInput
        aria-label={words.fieldOfRow(words.columns.number, named)}
        lang=""
        autoComplete="off"
        className="mono w-44"
        value={number}
        onChange={({ target }) => setNumber(target.value)}
      />
      {missing !== undefined && (
        <TextInput
          aria-label={words.fieldOfRow(missing, named)}
          lang=""
          autoComplete="off"
          maxLength={200}
          placeholder={missing}
          className="w-44"
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      )}
      {isTime && (
        <TextInput
          type="datetime-local"
          aria-label={words.fieldOfRow(words.targets.at, named)}
          className="w-52"
          value={at}
          onChange={({ target }) => setAt(target.value)}
        />
      )}
      <Button
        type="submit"
        size="sm"
        needsServer
        aria-busy={saving.isPending}
        aria-label={words.saveRowOf(named)}
      >
        {words.saveRow}
      </Button>
      <span className="min-w-0 flex-1 basis-60 text-sm font-medium text-bad">
        {saving.error ? faultText(saving.error, words.rowFailed) : fault && reasonOf(fault)}
      </span>
    </form>
  )
}

function reasonOf({ code, params }: NonNullable<CheckedRow['fault']>): string {
  return code === 'missing_field' ? words.faults[code](String(params['field'])) : words.faults[code]
}
