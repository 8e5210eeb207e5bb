import { MAX_FIELDS, MAX_LISTS, NewConsent, ContactChange } from '@sdd/contract/people/contacts.ts'
import { Suspense, useMemo, useState } from 'react'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useServerGone } from '#console/core/server-gone.ts'
import ColumnList from '#console/people/csv/column-list.tsx'
import type { CsvTable } from '#console/people/csv/csv.ts'
import { fieldOf, guessMapping, SKIPPED, type ColumnChoice } from '#console/people/csv/mapping.ts'
import { csv as csvWords } from '#console/people/csv/text.ts'
import { parseLists } from './contact-draft.ts'
import { ImportOutcome } from './import-outcome.tsx'
import { ImportPreview, RefusedRows } from './import-preview.tsx'
import { contactTargets, readContacts, type ForAll } from './import-rows.ts'
import { contactImport as words } from './import-text.ts'
import { useImport } from './use-import.ts'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { GoneReason } from '#console/ui/gone-reason.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'

const ImportProgress = lazyPart(() => import('./import-progress.tsx'))

/** From the columns of a file that was read to the outcome of its import. */
export default function ImportSteps({ table }: { table: CsvTable }) {
  const [choices, setChoices] = useState(() => guessMapping(table, contactTargets, MAX_FIELDS))
  const [typed, setTyped] = useState({ lists: '', consent_how: '' })
  const [company, setCompany] = useState<number>()
  const importing = useImport()
  return (
    <>
      <Columns
        table={table}
        choices={choices}
        onChange={(next) => {
          importing.clear()
          setChoices(next)
        }}
      />
      <Box title={words.forAll}>
        <div className="flex flex-col gap-4">
          <CompanyField value={company} onChange={setCompany} />
          <ForAllField
            label={words.addLists}
            hint={words.addListsHint}
            fault={areLists(typed.lists) ? undefined : words.listsWrong(MAX_LISTS)}
            value={typed.lists}
            onChange={(lists) => setTyped((now) => ({ ...now, lists }))}
          />
          <ForAllField
            label={words.consentAll}
            hint={words.consentAllHint}
            fault={isHow(typed.consent_how) ? undefined : words.howWrong}
            value={typed.consent_how}
            onChange={(consent_how) => setTyped((now) => ({ ...now, consent_how }))}
          />
        </div>
      </Box>
      <Start
        table={table}
        choices={choices}
        forAll={{ lists: parseLists(typed.lists), consent_how: typed.consent_how }}
        valid={areLists(typed.lists) && isHow(typed.consent_how)}
        company={company === undefined ? undefined : String(company)}
        importing={importing}
      />
    </>
  )
}

function areLists(typed: string): boolean {
  return ContactChange.shape.lists.safeParse(parseLists(typed)).success
}

function isHow(typed: string): boolean {
  return typed.trim() === '' || NewConsent.shape.how.safeParse(typed).success
}

function Columns({
  table,
  choices,
  onChange,
}: {
  table: CsvTable
  choices: readonly ColumnChoice[]
  onChange: (choices: ColumnChoice[]) => void
}) {
  const targets = contactTargets.map(({ key }) => ({
    key,
    label: words.targets[key as keyof typeof words.targets],
  }))
  const skipped = choices.filter((choice) => choice === SKIPPED).length
  return (
    <Box title={csvWords.columns} beside={skipped > 0 ? words.leftOut(skipped) : undefined}>
      <ColumnList table={table} targets={targets} choices={choices} onChange={onChange} />
    </Box>
  )
}

function ForAllField({
  label,
  hint,
  fault,
  value,
  onChange,
}: {
  label: string
  hint: string
  fault: string | undefined
  value: string
  onChange: (value: string) => void
}) {
  return (
    <Field label={label} hint={hint} error={fault}>
      {(ids) => (
        <TextInput
          {...ids}
          tall
          autoComplete="off"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

/** The first rows as they will be, the rows that cannot be imported, and the button; then how the import went. */
function Start({
  table,
  choices,
  forAll,
  valid,
  company,
  importing,
}: {
  table: CsvTable
  choices: readonly ColumnChoice[]
  forAll: ForAll
  valid: boolean
  company: string | undefined
  importing: ReturnType<typeof useImport>
}) {
  const gone = useServerGone()
  // It takes one to two seconds for 100,000 rows, so it runs only when the file or the columns change.
  const { good, refused } = useMemo(() => readContacts(table, choices), [table, choices])
  const { state, start } = importing
  const fields = choices.filter((choice) => fieldOf(choice) !== undefined).length
  if (state?.phase === 'running') {
    return (
      <Suspense>
        <ImportProgress {...state} onStop={importing.stop} />
      </Suspense>
    )
  }
  if (state) return <ImportOutcome state={state} titles={table.titles} onResume={importing.resume} />

  const hindrance = hindranceOf(choices, fields, good.length)
  return (
    <>
      <ImportPreview rows={table.rows} choices={choices} forAll={forAll} refused={refused} />
      {hindrance && <Notice tone="bad">{hindrance}</Notice>}
      {choices.includes('number') && refused.length > 0 && (
        <Box title={words.willRefuse(formatCount(refused.length))}>
          <RefusedRows refused={refused} titles={table.titles} />
        </Box>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          tone="primary"
          size="lg"
          disabled={hindrance !== undefined || !valid || gone}
          onClick={() => start({ rows: good, choices, forAll, company }, refused)}
        >
          {words.start(formatCount(good.length))}
        </Button>
        <GoneReason />
      </div>
    </>
  )
}

/** Why nothing can be imported yet. */
function hindranceOf(choices: readonly ColumnChoice[], fields: number, good: number): string | undefined {
  if (!choices.includes('number')) return words.noNumber
  if (fields > MAX_FIELDS) return words.tooManyFields(fields, MAX_FIELDS)
  return good === 0 ? words.nothing : undefined
}
