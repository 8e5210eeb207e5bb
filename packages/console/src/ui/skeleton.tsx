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
