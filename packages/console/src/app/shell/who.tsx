import { readUser } from '@sdd/contract/accounts/users.ts'
import { textOf } from '@sdd/contract/core/client.ts'
import { useQuery } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import { readSession } from '#console/core/session.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'

/** The signed-in user's name, above their role. */
export function Who() {
  const role = text.roles[useRole()]
  const id = String(readSession()?.userId ?? 0)
  const { data: name } = useQuery({
    queryKey: ['users', 'name', id],
    queryFn: ({ signal }) =>
      callApi(readUser, { params: { id }, signal }, (body) => textOf(body, 'name') ?? null),
    enabled: id !== '0',
  })
  return (
    <p
      className="min-w-0 flex-1 leading-tight md:max-lg:basis-full md:max-lg:px-1 md:max-lg:text-center md:max-lg:text-xs"
      title={name ?? undefined}
    >
      {name && <span className="block truncate font-semibold text-rail-ink">{name}</span>}
      <span className="block truncate">{role}</span>
    </p>
  )
}
