import type { Contact } from '@sdd/contract/people/contacts.ts'
import { exampleOf } from './example.ts'
import { TextCounter } from '#console/messages/messages/text-counter.tsx'
import { templates as words } from './text.ts'

/** The text as a person would get it, and its length. It has room for some lines, so that the form does not jump. */
export function TemplatePreview({ text, contacts }: { text: string; contacts: readonly Contact[] }) {
  const example = exampleOf(text, contacts)
  return (
    <section aria-label={words.preview} className="flex min-h-32 flex-col gap-1.5">
      <h3 className="font-semibold">{words.preview}</h3>
      {text.trim() === '' || 'fault' in example ? (
        <p className="text-sm text-muted">{text.trim() === '' ? words.previewEmpty : words.previewFault}</p>
      ) : (
        <>
          {/* Its language is not known. */}
          <p
            lang=""
            dir="auto"
            className="self-start rounded-md bg-off-bg px-3 py-2 wrap-anywhere whitespace-pre-wrap"
          >
            {example.text}
          </p>
          <TextCounter text={example.text} />
          {'contact' in example && (
            <p className="text-sm text-muted">
              {words.previewOf(example.contact.name ?? example.contact.number)}
            </p>
          )}
          {'missing' in example && <p className="text-sm text-muted">{words.noExample(example.missing)}</p>}
        </>
      )}
    </section>
  )
}
