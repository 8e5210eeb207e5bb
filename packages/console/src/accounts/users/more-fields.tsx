import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ChevronDown } from 'lucide-react'
import { readSession } from '#console/core/session.ts'
import { users as words } from './text.ts'
import { useRole } from '#console/core/use-role.ts'
import type { Faults } from '#console/core/form.ts'
import { CompanyChoice } from './company-choice.tsx'
import type { Draft } from './draft.ts'
import type { User } from './users.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

/**
 * Fields beyond the user specification: login permission, password and company. Users change their own password on the
 * account screen. Folded, but open if the server refused one of them.
 */
export function MoreFields({
  user,
  draft,
  fields,
  onEdit,
  onRemoveFactor,
}: {
  user: User | undefined
  draft: Draft
  fields: Faults['fields']
  onEdit: (next: Partial<Draft>) => void
  /** Absent if the user has no second factor, or it may not be removed here. */
  onRemoveFactor: (() => void) | undefined
}) {
  const role = useRole()
  const hintId = useId()
  const self = user !== undefined && user.id === readSession()?.userId
  const [opened, setOpened] = useState(false)
  const refused = fields.companyId !== undefined || (user !== undefined && fields.password !== undefined)
  const open = opened || refused
  if (user === undefined && role !== 'superadmin') return null
  return (
    <div className="flex flex-col gap-3.5 border-t border-line pt-2">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpened(!open)}
        className="-mx-1 flex min-h-9 items-center gap-1.5 rounded-sm px-1 font-semibold text-link max-md:min-h-11"
      >
        <ChevronDown className={`size-4 ${open ? 'rotate-180' : ''}`} aria-hidden="true" />
        {words.more}
      </button>
      {open && user && (
        <>
          <div>
            <label className="flex w-fit min-h-9 items-center gap-2.5 font-semibold max-md:min-h-11">
              <input
                type="checkbox"
                className="size-[18px]"
                aria-describedby={hintId}
                checked={draft.enabled}
                onChange={() => onEdit({ enabled: !draft.enabled })}
              />
              {words.mayLogIn}
            </label>
            <p id={hintId} className="text-sm text-muted">
              {words.mayLogInHint}
            </p>
          </div>
          {self ? (
            <p className="text-sm text-muted">
              {words.ownPassword}{' '}
              <Link to="/account" className="font-semibold text-link underline">
                {words.toAccount}
              </Link>
            </p>
          ) : (
            <Field label={words.newPassword} hint={words.newPasswordHint} error={fields.password}>
              {(ids) => (
                <TextInput
                  {...ids}
                  tall
                  type="password"
                  autoComplete="new-password"
                  value={draft.password}
                  onChange={(event) => onEdit({ password: event.target.value })}
                />
              )}
            </Field>
          )}
        </>
      )}
      {open && user && (
        <p className="text-sm text-muted">
          {words.lastLogin}: {user.last_login_at ? <Ago at={user.last_login_at} /> : words.neverIn}
        </p>
      )}
      {open && onRemoveFactor && (
        <div>
          <p className="flex items-center gap-2 font-semibold">
            <MarkIcon mark="check" className="size-3.5 text-ok" />
            {words.factorOn}
          </p>
          <p className="mb-2 text-sm text-muted">{words.factorHint}</p>
          <Button needsServer onClick={onRemoveFactor}>
            {words.removeFactor}
          </Button>
        </div>
      )}
      {open && role === 'superadmin' && (
        <CompanyChoice
          value={draft.companyId}
          error={fields.companyId}
          onChange={(companyId) => onEdit({ companyId })}
        />
      )}
    </div>
  )
}
