import { useQuery } from '@tanstack/react-query'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { users as words } from './text.ts'
import { usersQuery } from './users.ts'
import { companiesOf } from './view.ts'
import { Field, Select } from '#console/ui/field.tsx'

/** The user's company: one of those that exist, or a new one with the next free number. */
export function CompanyChoice({
  value,
  error,
  onChange,
}: {
  /** An id as text; empty for the caller's own company. */
  value: string
  error: string | true | undefined
  onChange: (id: string) => void
}) {
  const { data: records = [] } = useQuery(globalSettingsQuery)
  const { data: users = [] } = useQuery(usersQuery)
  const names = new Map(companiesOf(users))
  // The user's own company comes first. One without users is known only by its settings.
  const known = new Set(
    records.flatMap(({ company_id }) => (company_id === undefined ? [] : [String(company_id)])),
  )
  for (const id of names.keys()) known.add(id)
  const next = String(Math.max(0, ...[...known].map(Number)) + 1)
  const isNew = value !== '' && !known.has(value)
  return (
    <Field label={words.company} hint={isNew && words.newCompanyHint(value)} error={error}>
      {(ids) => (
        <Select
          {...ids}
          tall
          value={value || [...known][0]}
          onChange={({ target }) => onChange(target.value)}
        >
          {[...known].map((id) => (
            <option key={id} value={id}>
              {names.has(id) ? `${names.get(id)} (${id})` : id}
            </option>
          ))}
          <option value={isNew ? value : next}>{words.newCompany}</option>
        </Select>
      )}
    </Field>
  )
}
