import type { Keyword } from '@sdd/contract/messages/keywords.ts'
import { useQueryClient } from '@tanstack/react-query'
import { MessageSquarePlus } from 'lucide-react'
import { Suspense } from 'react'
import { useCompanyColumn } from '#console/accounts/companies/companies.tsx'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useRows } from '#console/core/pages.ts'
import { keywordsQuery } from './calls.ts'
import { firstKeywordColumns, lastKeywordColumns } from './keyword-columns.tsx'
import { keywords as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'

const OpenKeyword = lazyPart(() => import('./keyword-dialogs.tsx'))

type Address = {
  /** `new`, the id of the open keyword, or `remove-` and the id of the one to delete. */
  open: string | undefined
}

/** The words to which the server reacts. */
export default function KeywordsTab({
  open,
  onChange,
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const queryClient = useQueryClient()
  const list = useRows(keywordsQuery)
  const columns = useCompanyColumn(
    firstKeywordColumns(),
    lastKeywordColumns(),
    'card:text-sm card:text-muted',
  )
  const close = () => onChange({ open: undefined })
  const changed = () => {
    close()
    void queryClient.invalidateQueries(keywordsQuery)
  }
  const show = ({ id }: Keyword) => onChange({ open: String(id) })
  return (
    <>
      <ListScreen
        list={list}
        words={words}
        bar={
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <p className="min-w-0 flex-1 basis-64 text-sm text-muted">{words.about}</p>
            <Button tone="primary" className="max-md:w-full" onClick={() => onChange({ open: 'new' })}>
              <MessageSquarePlus className="size-4" aria-hidden="true" />
              {words.add}
            </Button>
          </div>
        }
        keyOf={({ id }) => id}
        columns={columns}
        cards="'word actions' auto 'action actions' auto 'answer actions' auto 'company company' auto/1fr auto"
        rowLook="card:min-h-[92px]"
        tabular="(min-width: 900px)"
        rowHeight={{ table: 46, card: 92 }}
        acts={{ open: show, remove: ({ id }) => onChange({ open: `remove-${id}` }) }}
        onRow={show}
        onCopy={({ answer }) => answer !== null && void copyText(answer, words.copied)}
        empty={<EmptyList said={words.empty} hint={words.emptyHint} />}
      />
      {open !== undefined && list.rows && (
        <Suspense>
          <OpenKeyword key={open} open={open} rows={list.rows} onClose={close} onChanged={changed} />
        </Suspense>
      )}
    </>
  )
}
