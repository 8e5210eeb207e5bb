import '#console/ui/skeleton.css'

/** Rows of the size of what comes, until it comes. */
export function SkeletonRows({ rows, columns }: { rows: number; columns: number }) {
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <tr key={row} className="skeleton">
          {Array.from({ length: columns }, (_, column) => (
            <td key={column}>{'\u00a0'}</td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

/** A list, a form or the fields of a record, until it comes. */
export function Skeleton({ of }: { of: 'list' | 'form' | 'record' }) {
  return (
    <div
      className={`skeleton-${of}`}
      aria-busy={of === 'record' ? undefined : true}
      aria-hidden={of === 'record' || undefined}
    />
  )
}
