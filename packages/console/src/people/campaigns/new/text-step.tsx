import { Suspense, useId, useRef, useState } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import type { DraftFaults, DraftFields } from './draft.ts'
import { fieldsGiven } from './rows.ts'
import { piecesOf } from './sample.ts'
import { Step, type StepState } from './step.tsx'
import { newCampaign as words } from './text.ts'
import type { EditorState } from './use-editor.ts'
import { fieldsOf } from '@sdd/contract/people/template-text.ts'
import { Button } from '#console/ui/button.tsx'
import { boxLook, Field, inputLook } from '#console/ui/field.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'

const TextPreview = lazyPart(() => import('./text-preview.tsx'))
const TemplateChooser = lazyPart(() => import('#console/people/templates/template-chooser.tsx'))

/** The text with its fields, its class, and how real rows look with it. */
export function TextStep({
  editor,
  state,
  faults,
  strict,
}: {
  editor: EditorState
  state: StepState
  faults: DraftFaults
  strict: boolean
}) {
  const { draft, change, plan, preview } = editor
  const field = useRef<HTMLTextAreaElement>(null)
  const [choosing, setChoosing] = useState(false)
  const fields = fieldsToInsert(editor)
  const shown = preview.current ? preview.data?.by_parts : undefined

  /** At the caret. It replaces the selection. */
  function insert(text: string): void {
    const element = field.current
    const [from, to] = [
      element?.selectionStart ?? draft.text.length,
      element?.selectionEnd ?? draft.text.length,
    ]
    change({ text: draft.text.slice(0, from) + text + draft.text.slice(to) })
    requestAnimationFrame(() => {
      element?.focus()
      element?.setSelectionRange(from + text.length, from + text.length)
    })
  }

  const fault = draft.text === '' && !strict ? undefined : textFault(faults)
  return (
    <Step
      name="text"
      state={state}
      result={shown?.map(({ parts, rows }) => words.partsOf(parts, formatCount(rows))).join(', ')}
    >
      <div className="grid grid-cols-2 gap-4 max-xl:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-3">
          <ClassField draft={draft} wrong={strict && faults.class !== undefined} change={change} />
          <Field label={words.message} error={fault}>
            {(ids) => (
              <span className={`${boxLook} p-2.5`}>
                <textarea
                  {...ids}
                  ref={field}
                  rows={4}
                  dir="auto"
                  className={`resize-y ${inputLook}`}
                  value={draft.text}
                  onChange={({ target }) => change({ text: target.value })}
                />
              </span>
            )}
          </Field>
          <div className="flex flex-wrap items-center gap-1.5">
            <span className="text-sm text-muted">{words.insert}</span>
            {fields.map((name) => (
              <Button key={name} size="sm" lang="" className="mono" onClick={() => insert(`{{${name}}}`)}>
                {`{{${name}}}`}
              </Button>
            ))}
            <Button
              tone="ghost"
              size="sm"
              className="ml-auto text-link underline"
              onClick={() => setChoosing(true)}
            >
              {words.templates}
            </Button>
          </div>
          <Unknown editor={editor} />
          {preview.data && <Encoding editor={editor} />}
        </div>
        <Suspense fallback={<div className="min-h-18" />}>
          <TextPreview editor={editor} samplesFrom={plan} />
        </Suspense>
      </div>
      <Suspense>
        {choosing && (
          <TemplateChooser
            company={editor.company}
            onChoose={({ text }) => insert(text)}
            onClose={() => {
              setChoosing(false)
              field.current?.focus()
            }}
          />
        )}
      </Suspense>
    </Step>
  )
}

/** Those of the columns, and those that every row has. */
function fieldsToInsert({ plan, preview }: EditorState): string[] {
  const stored = plan ? [] : Object.keys(preview.data?.examples[0]?.values ?? {})
  return [...new Set(['name', 'number', ...(plan ? fieldsGiven(plan.choices) : []), ...stored])].slice(0, 32)
}

function textFault({ text }: DraftFaults): string | undefined {
  if (text === undefined) return undefined
  return typeof text === 'string' ? words.textFaults[text] : words.textFaults[text.why](text.near)
}

function ClassField({
  draft,
  wrong,
  change,
}: {
  draft: DraftFields
  wrong: boolean
  change: EditorState['change']
}) {
  const id = useId()
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-said`}>
      <legend className="mb-1 font-semibold">{words.class}</legend>
      <div className="flex flex-wrap gap-x-5">
        {(['transactional', 'marketing'] as const).map((one) => (
          <label key={one} className="flex min-h-[30px] items-center gap-2 max-md:min-h-11">
            <input
              type="radio"
              name={id}
              className="size-[18px] shrink-0"
              data-wrong={wrong || undefined}
              checked={draft.class === one}
              onChange={() => change({ class: one })}
            />
            {words.classes[one]}
          </label>
        ))}
      </div>
      <p id={`${id}-said`} className={`text-sm ${wrong ? 'font-medium text-bad' : 'text-muted'}`}>
        {draft.class === '' ? words.classRequired : words.classHints[draft.class]}
      </p>
    </fieldset>
  )
}

/** Fields that no column gives: only contacts can have them. */
function Unknown({ editor: { draft, plan } }: { editor: EditorState }) {
  const pieces = piecesOf(draft.text)
  if (!plan || !pieces) return null
  const given = new Set(['name', 'number', ...fieldsGiven(plan.choices)])
  const unknown = fieldsOf(pieces).filter((field) => !given.has(field))
  if (unknown.length === 0) return null
  return <Notice tone="warn">{words.unknownField(unknown.map((field) => `{{${field}}}`).join(', '))}</Notice>
}

/** Says what the letters cost that GSM-7 lacks, and offers to write the data without them. */
function Encoding({ editor: { preview, plan, setPlain } }: { editor: EditorState }) {
  const id = useId()
  const { ucs2_letters: letters = [], by_encoding } = preview.data ?? {}
  const rows = by_encoding?.ucs2 ?? 0
  if (rows === 0 && !plan?.plain) return null
  return (
    <div className="rounded-sm bg-warn-bg px-3 py-2 text-warn">
      {rows > 0 && <p>{words.ucs2(formatCount(rows), letters.map(words.letter).join(' '))}</p>}
      {plan && (
        <label htmlFor={id} className="flex min-h-[30px] items-center gap-2 font-semibold max-md:min-h-11">
          <input
            id={id}
            type="checkbox"
            className="size-[18px] shrink-0"
            checked={plan.plain}
            onChange={({ target }) => setPlain(target.checked)}
          />
          {words.plain}
        </label>
      )}
    </div>
  )
}
