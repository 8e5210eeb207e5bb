import { useQuery } from '@tanstack/react-query'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { text } from '#console/core/text.ts'
import { globalSettings as words } from '#console/accounts/settings/global-text.ts'
import { settings } from '#console/accounts/settings/text.ts'
import { GlobalForm } from '#console/accounts/settings/global-form.tsx'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { Notice } from '#console/ui/notice.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

/** A company's settings. Users who see several companies choose one. */
export default function GlobalTab({
  writes,
  company,
  onCompany,
}: {
  writes: boolean
  /** The company's id. If undefined or unknown, the user's own. */
  company: string | undefined
  onCompany: (id: string | undefined) => void
}) {
  // The frame has loaded them too, but a form must begin with the current values.
  const { data: records, isError, refetch } = useQuery({ ...globalSettingsQuery, refetchOnMount: 'always' })
  const own = records?.[0]
  const chosen = records?.find(({ company_id }) => String(company_id) === company) ?? own
  return (
    <div className="flex max-w-[560px] flex-col gap-4">
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          <span>{words.loadFailed}</span> {records && text.kept}
        </Notice>
      )}
      {chosen?.company_id !== undefined && (
        <CompanyField
          label={settings.company}
          value={chosen.company_id}
          onChange={(id) => onCompany(id === undefined ? undefined : String(id))}
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
      {!records && !isError && <Skeleton kind="form" />}
    </div>
  )
}
