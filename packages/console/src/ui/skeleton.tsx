import '#console/ui/skeleton.css'

/** Placeholder rows of the final size, shown while loading. */
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

/** A placeholder for a list, form or record, shown while loading. */
export function Skeleton({ kind }: { kind: 'list' | 'form' | 'record' }) {
  return (
    <div
      className={`skeleton-${kind}`}
      aria-busy={kind === 'record' ? undefined : true}
      aria-hidden={kind === 'record' || undefined}
    />
  )
}
