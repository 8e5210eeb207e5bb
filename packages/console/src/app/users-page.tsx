import { MadeByUser } from '#console/insight/made-by-user.tsx'
import { UsersScreen } from '#console/accounts/users/users-screen.tsx'

/** The users, with the keys and webhooks that each made. */
export function UsersPage() {
  return <UsersScreen MadeByUser={MadeByUser} />
}
