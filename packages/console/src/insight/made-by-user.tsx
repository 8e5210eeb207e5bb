import { readMadeByUser } from '@sdd/contract/insight/made-by-user.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useCompanies } from '#console/accounts/companies/companies.tsx'
import { callApi } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { users as words } from '#console/accounts/users/text.ts'
import type { User } from '#console/accounts/users/users.ts'
import { Notice } from '#console/ui/notice.tsx'

/** Longer lists show only this many until the user asks for the rest. */
const FEW = 5

/** What a user made that still works. Keyed under the users, since it changes with their access. */
function madeByUserQuery(id: number) {
  return queryOptions({
    queryKey: ['users', 'made', id],
    queryFn: ({ signal }) => callApi(readMadeByUser, { params: { id: String(id) }, signal }),
    // The admin reads this before removing access, so recent additions must be included.
    staleTime: 0,
  })
}

/** The keys and webhooks that keep working without the user, and the link codes that do not. */
export function MadeByUser({ user }: { user: User }) {
  const { data: made, isError, refetch } = useQuery(madeByUserQuery(user.id))
  const companies = useCompanies()
  const inCompany = (what: string, id: number) => {
    const company = companies.length > 1 && companies.find((one) => one.id === id)
    return company ? `${what} · ${company.name}` : what
  }
  if (isError) {
    return (
      <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
        {words.madeFailed}
      </Notice>
    )
  }
  const keys = made?.api_keys.map(({ name, hint, company_id }) => inCompany(`${name} (${hint}…)`, company_id))
  const webhooks = made?.webhooks.map(({ url, company_id }) => inCompany(url, company_id))
  const codes = made?.link_codes.map(({ hint, uses_left }) => words.code(hint, uses_left))
  const stays = made && made.api_keys.length + made.webhooks.length > 0
  return (
    <section
      aria-label={words.made(user.name)}
      aria-live="polite"
      aria-busy={!made}
      className="flex min-h-24 flex-col gap-3 rounded-sm border border-line bg-sunken px-3 py-2.5 text-sm"
    >
      {stays && (
        <div className="flex flex-col gap-2">
          <Head title={words.staysTitle}>{words.stays}</Head>
          <Names title={words.keys} names={keys} link={{ tab: 'api-keys', label: words.reviewKeys }} />
          <Names
            title={words.webhooks}
            names={webhooks}
            link={{ tab: 'callbacks', label: words.reviewWebhooks }}
          />
        </div>
      )}
      {codes && codes.length > 0 && (
        <div className="flex flex-col gap-2">
          <Head title={words.endsTitle}>{words.ends}</Head>
          <Names names={codes} />
        </div>
      )}
      {made && !stays && codes?.length === 0 && <p className="text-muted">{words.madeNothing}</p>}
    </section>
  )
}

function Head({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="text-md font-semibold">{title}</h3>
      <p className="text-muted">{children}</p>
    </div>
  )
}

function Names({
  title,
  names = [],
  link,
}: {
  title?: string
  names: readonly string[] | undefined
  link?: { tab: 'api-keys' | 'callbacks'; label: string }
}) {
  const [all, setAll] = useState(false)
  if (names.length === 0) return null
  return (
    <div className="flex flex-col gap-1">
      {title && <h4 className="font-semibold">{title}</h4>}
      <ul className="list-disc pl-5 [overflow-wrap:anywhere]">
        {(all ? names : names.slice(0, FEW)).map((name, n) => (
          <li key={n}>{name}</li>
        ))}
      </ul>
      {!all && names.length > FEW && (
        <button
          type="button"
          onClick={() => setAll(true)}
          className="flex min-h-7 w-fit items-center font-semibold text-link max-md:min-h-11"
        >
          {words.showAll(names.length)}
        </button>
      )}
      {link && (
        <Link
          to="/settings"
          search={{ tab: link.tab }}
          // The form keeps its input.
          target="_blank"
          className="flex min-h-7 w-fit items-center gap-1.5 font-semibold text-link underline max-md:min-h-11"
        >
          {link.label}
          <ExternalLink className="size-3.5" aria-hidden="true" />
        </Link>
      )}
    </div>
  )
}
