import { useQuery } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { settings as words } from '#console/core/text/settings.ts'
import { GlobalForm } from '#console/settings/global-form.tsx'
import { globalSettingsQuery, type GlobalSettings } from '#console/settings/settings.ts'
import { Field, Select } from '#console/ui/field.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { usersQuery, type User } from '#console/users/users.ts'

/** The settings of one company; who sees several chooses among them. */
export function GlobalTab({
  writes,
  company,
  onCompany,
}: {
  writes: boolean
  /** The company's id; undefined or unknown: one's own. */
  company: string | undefined
  onCompany: (id: string | undefined) => void
}) {
  const { data: records, isError, refetch } = useQuery(globalSettingsQuery)
  const own = records?.[0]
  const chosen = records?.find(({ company_id }) => String(company_id) === company) ?? own
  return (
    <div className="flex max-w-[560px] flex-col gap-4">
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          <span>{words.loadFailed}</span> {records && words.kept}
        </Notice>
      )}
      {records && records.length > 1 && chosen && (
        <CompanyChoice
          records={records}
          chosen={chosen}
          onChoose={(id) => onCompany(id === own?.company_id ? undefined : String(id))}
        />
      )}
      {chosen && (
        <GlobalForm
          key={chosen.id}
          record={chosen}
          company={chosen === own ? undefined : chosen.company_id}
          writes={writes}
        />
      )}
      {!records && !isError && <div className="panel settings-skeleton" aria-busy="true" />}
    </div>
  )
}

function CompanyChoice({
  records,
  chosen,
  onChoose,
}: {
  records: readonly GlobalSettings[]
  chosen: GlobalSettings
  onChoose: (id: number) => void
}) {
  const { data: users } = useQuery(usersQuery)
  return (
    <Field label={words.company}>
      {(ids) => (
        <Select
          {...ids}
          tall
          value={chosen.company_id}
          onChange={(event) => onChoose(Number(event.target.value))}
        >
          {records.map(({ company_id }) => (
            <option key={company_id} value={company_id}>
              {company_id !== undefined && words.companyName(company_id, nameOf(company_id, users))}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

/** Companies have no list of their own: their users know their names. */
function nameOf(company_id: number, users: readonly User[] | undefined): string | undefined {
  return users?.find(({ companyId }) => companyId === company_id)?.company
}
