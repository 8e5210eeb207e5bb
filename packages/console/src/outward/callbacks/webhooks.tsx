import { CallbackType, type Webhook } from '@sdd/contract/outward/callbacks.ts'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Suspense } from 'react'
import { webhooksQuery } from './calls.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useCompanies } from '#console/accounts/companies/companies.tsx'
import { text } from '#console/core/text.ts'
import { callbacks as words } from './text.ts'
import { rotation } from '#console/ui/rotate-text.ts'
import { Button } from '#console/ui/button.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { dayTime } from '#console/ui/time.ts'
import { Notice } from '#console/ui/notice.tsx'

const WebhookDialogs = lazyPart(() => import('./webhook-dialogs.tsx'))

export function Webhooks({
  open,
  onOpen,
}: {
  open: string | undefined
  onOpen: (next: string | undefined) => void
}) {
  const { data: webhooks, isError, refetch } = useQuery(webhooksQuery)
  return (
    <section aria-label={words.webhooks} className="flex shrink-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="text-lg font-bold">{words.webhooks}</h2>
        <p className="min-w-0 text-muted max-md:hidden">{words.webhooksAbout}</p>
        <Button needsServer className="ml-auto" onClick={() => onOpen('new')}>
          <Plus className="size-4" aria-hidden="true" />
          {words.add}
        </Button>
      </div>
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          {words.webhooksFailed} {webhooks && text.kept}
        </Notice>
      )}
      {!webhooks && !isError && <div className="panel h-[94px]" aria-busy="true" />}
      {webhooks?.length === 0 && <p className="panel px-4 py-3 text-muted">{words.noWebhooks}</p>}
      {webhooks && webhooks.length > 0 && (
        <ul className="panel max-h-[max(168px,32dvh)] overflow-y-auto">
          {webhooks.map((webhook) => (
            <WebhookItem
              key={webhook.id}
              webhook={webhook}
              onTest={() => onOpen(`test-${webhook.id}`)}
              onRotate={() => onOpen(`rotate-${webhook.id}`)}
              onRemove={() => onOpen(`webhook-${webhook.id}`)}
            />
          ))}
        </ul>
      )}
      {open !== undefined && webhooks && /^(new|webhook-|rotate-|test-)/.test(open) && (
        <Suspense>
          <WebhookDialogs key={open} open={open} webhooks={webhooks} onClose={() => onOpen(undefined)} />
        </Suspense>
      )}
    </section>
  )
}

function WebhookItem({
  webhook,
  onTest,
  onRotate,
  onRemove,
}: {
  webhook: Webhook
  onTest: () => void
  onRotate: () => void
  onRemove: () => void
}) {
  const { url, types, format, dead, company_id, by, created_at, previous_until } = webhook
  const companies = useCompanies()
  const company = companies.length > 1 && companies.find(({ id }) => id === company_id)
  const all = types.length === CallbackType.options.length
  return (
    <li className="flex min-h-[52px] items-center gap-x-3 gap-y-1.5 py-1.5 pr-3 pl-[18px] not-first:border-t not-first:border-line max-md:flex-wrap max-md:px-3 max-md:py-2">
      <span className="min-w-0 flex-1 max-md:basis-full">
        <b className="block font-semibold [overflow-wrap:anywhere]">{url}</b>
        <span className="block text-sm text-muted">
          {all ? words.allTypes : types.map((type) => words.typeOf(type)).join(', ')}
          {format && ` · ${words.format[format]}`}
          {company && ` · ${company.name}`}
        </span>
        <span className="block text-sm text-muted">
          {words.madeBy(by)} <time dateTime={created_at}>{dayTime(created_at)}</time>
        </span>
        {previous_until && (
          <span className="block text-sm text-muted">
            {words.previous} <time dateTime={previous_until}>{dayTime(previous_until)}</time>
          </span>
        )}
      </span>
      {dead > 0 && (
        <Pill tone="bad" mark="cross">
          {words.dead(dead)}
        </Pill>
      )}
      <span className="flex gap-2 max-md:ml-auto">
        <Button needsServer size="sm" aria-label={words.testNamed(url)} onClick={onTest}>
          {words.test}
        </Button>
        {/* The other formats have no signature of their own. */}
        {!format && (
          <Button needsServer size="sm" aria-label={words.rotateNamed(url)} onClick={onRotate}>
            {rotation.rotate}
          </Button>
        )}
        <Button needsServer size="sm" aria-label={words.removeNamed(url)} onClick={onRemove}>
          {words.remove}
        </Button>
      </span>
    </li>
  )
}
