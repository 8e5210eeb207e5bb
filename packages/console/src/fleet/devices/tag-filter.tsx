import { useMemo } from 'react'
import { type Device, tagsOf } from './devices.ts'
import { devices as words } from './text.ts'
import { Select } from '#console/ui/field.tsx'

/** Shown only if a device has a tag, or the address names one. */
export function TagFilter({
  devices,
  tag,
  onTag,
}: {
  devices: readonly Device[] | undefined
  tag: string | undefined
  onTag: (tag: string | undefined) => void
}) {
  // 10,000 devices are read again only if they change.
  const tags = useMemo(() => tagsOf(devices ?? []), [devices])
  if (tags.length === 0 && tag === undefined) return null
  const gone = tag !== undefined && !tags.some(([name]) => name === tag)
  return (
    <Select
      aria-label={words.tagFilter}
      className="max-w-48"
      value={tag ?? ''}
      onChange={({ target }) => onTag(target.value || undefined)}
    >
      <option value="">{words.allTags}</option>
      {gone && <option value={tag}>{tag}</option>}
      {tags.map(([name, count]) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
    </Select>
  )
}
