import { MadeByUser } from '#console/insight/made-by-user.tsx'
import { UsersScreen } from '#console/accounts/users/users-screen.tsx'

export function UsersPage() {
  return <UsersScreen MadeByUser={MadeByUser} />
}
