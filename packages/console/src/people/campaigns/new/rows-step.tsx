import { MAX_CAMPAIGN_ROWS } from '@sdd/contract/people/campaign-rows.ts'
import { MAX_FIELDS } from '@sdd/contract/people/contacts.ts'
import { fieldsOf } from '@sdd/contract/people/template-text.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { ClipboardPaste } from 'lucide-react'
import { Suspense, useState } from 'react'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { faultText } from '#console/core/api.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { listsQuery } from '#console/people/contacts/contacts.ts'
import { CsvSource } from '#console/people/csv/csv-source.tsx'
import { SKIPPED } from '#console/people/csv/mapping.ts'
import type { DraftFaults } from './draft.ts'
import { piecesOf } from './sample.ts'
import { Step, type StepState } from './step.tsx'
import { newCampaign as words } from './text.ts'
import type { EditorState } from './use-editor.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'

const ColumnList = lazyPart(() => import('#console/people/csv/column-list.tsx'))
const PasteDialog = lazyPart(() => import('./paste-dialog.tsx'))

/** Who gets it: a file or pasted rows, what its columns give, and lists of contacts. */
export function RowsStep({
  editor,
  state,
  faults,
}: {
  editor: EditorState
  state: StepState
  faults: DraftFaults
}) {
  const { draft, change, csv, table, plan, choose, id, company, setCompany } = editor
  const [pasting, setPasting] = useState(false)
  const skipped = plan?.choices.filter((choice) => choice === SKIPPED).length ?? 0
  return (
    <Step name="rows" state={state} result={<UploadLine editor={editor} />}>
      <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
        <Field label={words.name} error={faults.name && words.nameFaults[faults.name]}>
          {(ids) => (
            <TextInput
              {...ids}
              autoComplete="off"
              value={draft.name}
              onChange={({ target }) => change({ name: target.value })}
            />
          )}
        </Field>
        {id === undefined && <CompanyField value={company} onChange={setCompany} />}
      </div>
      <CsvSource
        csv={csv}
        beside={
          <Button onClick={() => setPasting(true)}>
            <ClipboardPaste className="size-4" aria-hidden="true" />
            {words.paste}
          </Button>
        }
      />
      <PlanNotices editor={editor} />
      {table && plan && (
        <>
          <Suspense>
            <ColumnList
              table={table}
              targets={(['number', 'name', 'at'] as const).map((key) => ({ key, label: words.targets[key] }))}
              fields={fieldsOf(piecesOf(draft.text) ?? []).filter(
                (field) => field !== 'name' && field !== 'number',
              )}
              choices={plan.choices}
              onChange={choose}
            />
          </Suspense>
          {skipped > 0 && <p className="text-sm text-muted">{words.leftOut(skipped)}</p>}
        </>
      )}
      <Lists company={company} chosen={draft.lists} onChange={(lists) => change({ lists })} />
      <Suspense>
        {pasting && (
          <PasteDialog
            onUse={(rows) => csv.choose(new File([rows], words.pasted))}
            onClose={() => setPasting(false)}
          />
        )}
      </Suspense>
    </Step>
  )
}

/** How far the rows have come to the server. */
function UploadLine({ editor: { upload, plan, fault, preview } }: { editor: EditorState }) {
  if (plan === undefined || fault !== undefined) {
    const rows = preview.data?.rows ?? 0
    return rows > 0 && words.uploaded(formatCount(rows))
  }
  const [done, total] = [formatCount(upload.done), formatCount(upload.total)]
  if (upload.phase === 'running') {
    return (
      <span className="flex items-center gap-2 tabular-nums">
        <progress
          className="w-32"
          aria-label={words.uploading(done, total)}
          value={upload.done}
          max={upload.total}
        />
        {words.uploading(done, total)}
      </span>
    )
  }
  return <output>{upload.phase === 'done' && words.uploaded(total)}</output>
}

/** What keeps the rows from being uploaded, and what to do. */
function PlanNotices({ editor }: { editor: EditorState }) {
  const { upload, uploader, plan, fault, preview, id, draft } = editor
  const remove = useMutation({ mutationFn: editor.removeRows })
  const [done, total] = [formatCount(upload.done), formatCount(upload.total)]
  const uploading = preview.current ? preview.data?.uploading : undefined
  const rows = preview.data?.rows ?? 0
  if (plan && fault) {
    const said = words.planFaults[fault]
    const most = fault === 'too_many_rows' ? formatCount(MAX_CAMPAIGN_ROWS) : String(MAX_FIELDS)
    return <Notice tone="bad">{typeof said === 'string' ? said : said(most)}</Notice>
  }
  if (plan && upload.phase === 'broken') {
    return (
      <Notice tone="bad" retry={{ label: words.resume, run: uploader.resume }}>
        {words.uploadBroken(done, total)} {faultText(upload.fault, words.uploadFailed)}
      </Notice>
    )
  }
  if (plan && id === undefined) return <Notice tone="warn">{words.waitsForDraft(total)}</Notice>
  if (typeof uploading === 'number')
    return <Notice tone="bad">{words.uploadHalf(formatCount(uploading))}</Notice>
  if (plan || rows === 0 || id === undefined || draft.lists.length > 0) return null
  return (
    <>
      <p className="flex flex-wrap items-center gap-3 text-sm text-muted">
        {words.stored(formatCount(rows))}
        <Button size="sm" needsServer disabled={remove.isPending} onClick={() => remove.mutate()}>
          {words.removeRows}
        </Button>
      </p>
      {remove.error && <Notice tone="bad">{faultText(remove.error, words.removeFailed)}</Notice>}
    </>
  )
}

function Lists({
  company,
  chosen,
  onChange,
}: {
  company: number | undefined
  chosen: readonly string[]
  onChange: (lists: readonly string[]) => void
}) {
  const { data: lists } = useQuery(listsQuery(company))
  // A list without members any more can still be taken out.
  const gone = chosen.filter((name) => lists && !lists.some((list) => list.name === name))
  const all = [...(lists ?? []), ...gone.map((name) => ({ name, contacts: 0 }))]
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-semibold">{words.lists}</legend>
      <p className="text-sm text-muted">{lists && all.length === 0 ? words.noLists : words.listsHint}</p>
      <div className="mt-1.5 flex max-h-40 flex-wrap gap-x-5 overflow-y-auto">
        {all.map(({ name, contacts }) => (
          <label key={name} className="flex min-h-[30px] items-center gap-2 max-md:min-h-11">
            <input
              type="checkbox"
              className="size-[18px] shrink-0"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
              }
            />
            <span lang="">{name}</span>
            <span className="text-sm text-muted">{words.listCount(formatCount(contacts))}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
