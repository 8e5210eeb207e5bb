import { useQuery } from '@tanstack/react-query'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { text } from '#console/core/text.ts'
import { quotas as words } from './text.ts'
import { quotasQuery } from './calls.ts'
import { QuotaForm } from './quota-form.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

/** A company's quotas. Users who see several companies choose one. */
export default function QuotasTab({
  writes,
  company,
  onCompany,
}: {
  writes: boolean
  /** The company's id; undefined means the user's own. */
  company: string | undefined
  onCompany: (id: string | undefined) => void
}) {
  const { data: record, isError, refetch } = useQuery(quotasQuery(company))
  return (
    <div className="flex max-w-[560px] flex-col gap-4">
      <p className="text-muted">
        {words.intro} {!writes && words.readOnly}
      </p>
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          {words.loadFailed} {record && text.kept}
        </Notice>
      )}
      <CompanyField
        value={company === undefined ? undefined : Number(company)}
        onChange={(id) => onCompany(id === undefined ? undefined : String(id))}
      />
      {record && <QuotaForm key={record.company_id} record={record} company={company} writes={writes} />}
      {!record && !isError && <Skeleton kind="form" />}
    </div>
  )
}
