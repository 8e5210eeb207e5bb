import { MadeByUser } from '#console/users/made-by-user.tsx'
import { UsersScreen } from '#console/users/users-screen.tsx'

/** The users, with what each of them made. */
export function UsersPage() {
  return <UsersScreen MadeByUser={MadeByUser} />
}
