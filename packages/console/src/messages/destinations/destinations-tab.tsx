import { useQuery } from '@tanstack/react-query'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { text } from '#console/core/text.ts'
import { destinations as words } from './text.ts'
import { destinationsQuery } from './calls.ts'
import { DestinationForm } from './destination-form.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

/** The prefixes that a company may send to. Users who see several companies choose one. */
export default function DestinationsTab({
  company,
  onCompany,
}: {
  /** The company's id; undefined means the user's own. */
  company: string | undefined
  onCompany: (id: string | undefined) => void
}) {
  const { data: record, isError, refetch } = useQuery(destinationsQuery(company))
  return (
    <div className="flex max-w-[560px] flex-col gap-4">
      <p className="text-muted">{words.intro}</p>
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          {words.loadFailed} {record && text.kept}
        </Notice>
      )}
      <CompanyField
        value={company === undefined ? undefined : Number(company)}
        onChange={(id) => onCompany(id === undefined ? undefined : String(id))}
      />
      {record && <DestinationForm key={record.company_id} record={record} company={company} />}
      {!record && !isError && <Skeleton kind="form" />}
    </div>
  )
}
