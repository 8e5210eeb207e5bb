import { roles, type Role } from '@sdd/contract/core/roles.ts'
import type { UserSortKey } from './search.ts'
import type { User } from './users.ts'
import { foldText } from '#console/ui/fold.ts'

export type UserView = {
  search: string
  role: Role | undefined
  /** An id as text. */
  company: string | undefined
  sort: UserSortKey
  desc: boolean
}

/** The users that pass the filter, sorted. Those without a value come last, whichever way. */
export function viewUsers(users: readonly User[], { search, role, company, sort, desc }: UserView): User[] {
  const wanted = foldText(search.trim())
  const shown = users.filter(
    (user) =>
      (wanted === '' || foldText(user.name).includes(wanted)) &&
      (role === undefined || user.role === role) &&
      (company === undefined || String(user.companyId) === company),
  )
  return shown.sort((a, b) => {
    const [one, other] = [valueOf(a, sort), valueOf(b, sort)]
    if (one === undefined || other === undefined)
      return Number(one === undefined) - Number(other === undefined)
    const order = typeof one === 'number' ? one - (other as number) : one.localeCompare(other as string)
    return (desc ? -order : order) || a.id - b.id
  })
}

/** The companies of these users by their ids, in the order of their names. */
export function companiesOf(users: readonly User[]): [id: string, name: string][] {
  const names = new Map(
    users.map(({ companyId, company }) => [String(companyId), company ?? String(companyId)]),
  )
  names.delete('undefined')
  return [...names].sort(([, a], [, b]) => a.localeCompare(b))
}

function valueOf(user: User, key: UserSortKey): string | number | undefined {
  if (key === 'role') return -roles.indexOf(user.role)
  if (key === 'enabled') return Number(!user.enabled)
  return (key === 'company' ? (user.company ?? user.companyId) : user[key]) ?? undefined
}
