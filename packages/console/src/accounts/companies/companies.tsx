import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { text } from '#console/core/text.ts'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { Field, Select } from '#console/ui/field.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { usersQuery } from '#console/accounts/users/users.ts'

export type Company = { id: number; name: string }

/**
 * The companies that the user sees, their own first; empty until they are loaded. No route lists companies, so they
 * come from the settings records, and their names from the users.
 */
export function useCompanies(): readonly Company[] {
  const { data: records } = useQuery(globalSettingsQuery)
  const several = (records?.length ?? 0) > 1
  const { data: users } = useQuery({ ...usersQuery, enabled: several })
  return useMemo(() => {
    const names = new Map(users?.map(({ companyId, company }) => [companyId, company]))
    return (records ?? []).flatMap(({ company_id: id }) => {
      if (id === undefined) return []
      const name = names.get(id)
      return [{ id, name: name ? `${name} (${id})` : String(id) }]
    })
  }, [records, users])
}

/** The company picker. Shown only to users who see several companies. */
export function CompanyField({
  label = text.company,
  value,
  onChange,
}: {
  label?: string
  /** Undefined means the user's own company. */
  value: number | undefined
  onChange: (company: number | undefined) => void
}) {
  const companies = useCompanies()
  if (companies.length < 2) return null
  const [own] = companies
  return (
    <Field label={label}>
      {(ids) => (
        <Select
          {...ids}
          tall
          value={value ?? own?.id}
          onChange={(event) => {
            const id = Number(event.target.value)
            onChange(id === own?.id ? undefined : id)
          }}
        >
          {companies.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

/** A list's columns, with a company column after the first ones if the user sees several companies. */
export function useCompanyColumn<Row extends { company_id: number | null }>(
  before: readonly Column<Row>[],
  after: readonly Column<Row>[],
  look: string,
): readonly Column<Row>[] {
  const companies = useCompanies()
  const { company: label } = text
  // A new column object would redraw every row.
  const company = useMemo<Column<Row>>(() => {
    const nameOf = ({ company_id }: Row) =>
      companies.find(({ id }) => id === company_id)?.name ??
      (company_id === null ? text.none : String(company_id))
    const width = 'minmax(112px, 0.8fr)'
    return { key: 'company', label, width, card: 'company', look, cell: nameOf, whole: nameOf }
  }, [companies, label, look])
  return [...before, ...(companies.length < 2 ? [] : [company]), ...after]
}
