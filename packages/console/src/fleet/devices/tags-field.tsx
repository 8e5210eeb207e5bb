import { MAX_TAGS, Tag } from '@sdd/contract/fleet/tags.ts'
import { deviceBulk as words } from './bulk-text.ts'
import { Field, TextInput } from '#console/ui/field.tsx'

/** More would fill the dialog. */
const MOST_OFFERED = 12

/** Tags as text, separated by blanks or commas. Known ones can be pressed instead. */
export function TagsField({
  label,
  typed,
  offered,
  error,
  onType,
}: {
  label: string
  typed: string
  /** Tags to choose from. */
  offered: readonly string[]
  error?: string | true | undefined
  onType: (typed: string) => void
}) {
  const { tags } = readTags(typed)
  const others = offered.filter((tag) => !tags.includes(tag)).slice(0, MOST_OFFERED)
  return (
    <div className="flex flex-col gap-1.5">
      <Field label={label} hint={words.tagsHint} error={error}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={(event) => onType(event.target.value)}
          />
        )}
      </Field>
      {others.length > 0 && (
        <div className="flex flex-wrap gap-1.5">
          {others.map((tag) => (
            <button
              key={tag}
              type="button"
              aria-label={words.addTag(label, tag)}
              className="min-h-7 rounded-sm border border-line px-2 text-sm wrap-anywhere hover:border-line-strong max-md:min-h-11 max-md:px-3"
              onClick={() => onType([...tags, tag].join(' '))}
            >
              + {tag}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

/** The typed tags, each once; `fault` is a sentence about the first invalid one. */
export function readTags(typed: string): { tags: string[]; fault?: string } {
  const tags: string[] = []
  let fault: string | undefined
  for (const part of typed.split(/[\s,;]+/).filter(Boolean)) {
    const { data } = Tag.safeParse(part)
    if (data === undefined) fault ??= words.tagFault(part)
    else if (!tags.includes(data)) tags.push(data)
  }
  if (tags.length > MAX_TAGS) fault ??= words.tooManyTags(MAX_TAGS)
  return { tags: tags.sort(), fault }
}
