/** Rows of the size of what comes. */
export function SkeletonRows({ rows, columns }: { rows: number; columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden="true" className="skeleton">
      {Array.from({ length: columns }, (_, column) => (
        <td key={column}>{'\u00a0'}</td>
      ))}
    </tr>
  ))
}
