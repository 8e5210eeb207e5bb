import { Role } from '@sdd/contract/core/roles.ts'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import type { UserSearch } from './search.ts'
import type { User } from './users.ts'
import { companiesOf } from './view.ts'
import { Select } from '#console/ui/field.tsx'

/** Shows only users with a role or of a company. The second is offered to those who see several companies. */
export function UserFilters({
  users,
  role,
  company,
  onChange,
}: {
  users: readonly User[]
  role: UserSearch['role']
  company: UserSearch['company']
  onChange: (next: Pick<UserSearch, 'role'> | Pick<UserSearch, 'company'>) => void
}) {
  const companies = companiesOf(users)
  return (
    <>
      <Select
        aria-label={words.filterRole}
        value={role ?? ''}
        onChange={({ target }) => onChange({ role: Role.options.find((one) => one === target.value) })}
      >
        <option value="">{words.anyRole}</option>
        {Role.options.map((one) => (
          <option key={one} value={one}>
            {text.roles[one]}
          </option>
        ))}
      </Select>
      {companies.length > 1 && (
        <Select
          aria-label={words.filterCompany}
          className="max-w-56"
          value={company ?? ''}
          onChange={({ target }) => onChange({ company: target.value || undefined })}
        >
          <option value="">{words.anyCompany}</option>
          {companies.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </>
  )
}
