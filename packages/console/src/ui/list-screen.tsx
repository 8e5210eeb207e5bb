import type { ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { ListTable, type ListTableProps } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** The rows of a screen, and how to load missing ones. */
export type ListRows<Row> = {
  /** Undefined until loaded. */
  rows: readonly Row[] | undefined
  /** Whether all rows or only the rest failed to load. */
  failed: 'all' | 'rest' | undefined
  retry: () => void
  hasMore?: boolean
  more?: () => void
  /** The rows are those of the previous filter, as the new one loads. */
  previous?: boolean
}

/** A list below its load error and its filters. */
export function ListScreen<Row extends object>({
  list,
  shown = list.rows,
  words,
  bar,
  empty,
  ...table
}: Omit<ListTableProps<Row>, 'label' | 'rows' | 'hasMore' | 'onMore' | 'previous' | 'children'> & {
  list: ListRows<Row>
  /** The rows that pass the filter, if the screen itself filters. */
  shown?: readonly Row[] | undefined
  words: { title: string; list: string; loadFailed: string; kept?: string }
  bar?: ReactNode
  /** Shown in place of rows if there are none. */
  empty: ReactNode
}) {
  const { rows, failed, retry, hasMore, more, previous } = list
  return (
    <>
      {failed && (
        <Notice tone="bad" retry={{ label: text.retry, run: retry }}>
          <span>{failed === 'rest' ? text.moreFailed : words.loadFailed}</span>{' '}
          {rows && failed === 'all' && (words.kept ?? text.kept)}
        </Notice>
      )}
      {bar}
      {(rows || !failed) && (
        <ListTable<Row>
          {...table}
          label={words.title}
          region={words.list}
          rows={shown}
          hasMore={hasMore}
          onMore={more}
          previous={previous}
        >
          {shown?.length === 0 && empty}
        </ListTable>
      )}
    </>
  )
}

/** Shown in place of rows: a sentence, with a hint or an action. */
export function EmptyList({
  said,
  hint,
  action,
}: {
  said: string
  hint?: string
  action?: { label: string; run: () => void } | false
}) {
  return (
    <>
      <p className={hint && 'mb-1'}>{said}</p>
      {hint && <p className="text-sm">{hint}</p>}
      {action && (
        <Button className="mt-3" onClick={action.run}>
          {action.label}
        </Button>
      )}
    </>
  )
}
