import { useCompanies } from '#console/accounts/companies/companies.tsx'
import { Select } from '#console/ui/field.tsx'
import { dashboard as words } from './text.ts'

/** The company whose figures are shown. Only for users who see several; without a choice, the sum of all. */
export function CompanyChoice({
  chosen,
  onChoose,
}: {
  chosen: string | undefined
  onChoose: (company: string | undefined) => void
}) {
  const companies = useCompanies()
  if (companies.length < 2) return null
  return (
    <Select
      aria-label={words.company}
      className="ml-auto max-w-60 min-w-0"
      value={chosen ?? ''}
      onChange={(event) => onChoose(event.target.value || undefined)}
    >
      <option value="">{words.allCompanies}</option>
      {companies.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  )
}
