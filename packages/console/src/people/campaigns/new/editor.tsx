import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { Trash2 } from 'lucide-react'
import { Suspense, useState, type DragEvent } from 'react'
import { flushSync } from 'react-dom'
import { faultText } from '#console/core/api.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { CheckStep } from './check-step.tsx'
import { faultsOf } from './draft.ts'
import { RowsStep } from './rows-step.tsx'
import { goToStep, stepNames, type StepName, type StepState } from './step.tsx'
import { Summary, SummaryBar } from './summary.tsx'
import { newCampaign as words } from './text.ts'
import { TextStep } from './text-step.tsx'
import { useEditor, type EditorState } from './use-editor.ts'
import { WhenStep } from './when-step.tsx'
import { Ago } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { modalOpen, useCommandKey, useKeydown } from '#console/ui/keys.ts'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { text } from '#console/core/text.ts'

const DiscardDialog = lazyPart(() => import('./discard-dialog.tsx'))

/** The four steps of a draft on one page, with a summary that is always in view. */
export function Editor({
  campaign,
  onCreated,
}: {
  campaign: Campaign | undefined
  onCreated: (id: number) => void
}) {
  const editor = useEditor(campaign, onCreated)
  const [strict, setStrict] = useState(false)
  const [over, setOver] = useState(false)
  const faults = faultsOf(editor.draft)
  const states = statesOf(editor, faults)

  function saveNow(): void {
    // The faults must be drawn before the first of them gets the focus.
    flushSync(() => setStrict(true))
    editor.saver.save()
    document.querySelector<HTMLElement>('main [aria-invalid], main [data-wrong]')?.focus()
  }
  useCommandKey('s', saveNow)
  useStepKeys()

  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: (event: DragEvent) => event.currentTarget === event.target && setOver(false),
    onDrop: (event: DragEvent) => {
      // A text that is dropped into a field is none of its files.
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setOver(false)
      const [file] = event.dataTransfer.files
      if (file) editor.csv.choose(file)
    },
  }

  return (
    <Page title={words.title} beside={<Head editor={editor} onSave={saveNow} />}>
      {/* Dropping is a second way: a button chooses the file too. */}
      <div {...drop} className="relative min-h-0 flex-1 overflow-y-auto" data-scroll="steps">
        <div className="grid grid-cols-[minmax(0,1fr)_288px] items-start gap-3 px-6 pb-6 max-lg:grid-cols-1 max-lg:pb-24 max-md:px-3 max-md:pt-3">
          <div className="flex min-w-0 flex-col gap-3">
            {over && <Notice tone="ok">{words.dropHere}</Notice>}
            {editor.save.phase === 'failed' && (
              <Notice tone="bad" retry={{ label: text.retry, run: editor.saver.save }}>
                {words.saveFailed} {faultText(editor.save.fault, '')}
              </Notice>
            )}
            <RowsStep editor={editor} state={states.rows} faults={strict ? faults : {}} />
            <TextStep editor={editor} state={states.text} faults={faults} strict={strict} />
            <CheckStep editor={editor} state={states.check} />
            <WhenStep editor={editor} state={states.when} faults={faults} />
          </div>
          <Summary editor={editor} states={states} />
        </div>
      </div>
      <SummaryBar editor={editor} />
    </Page>
  )
}

/** The first step that is not done is the one at hand. */
function statesOf(editor: EditorState, faults: ReturnType<typeof faultsOf>): Record<StepName, StepState> {
  const { preview, upload, draft, id } = editor
  const hasRows = (preview.data?.rows ?? 0) > 0 || upload.total > 0 || draft.lists.length > 0
  const checking = id !== undefined && !preview.current && !preview.failed
  const done: Record<StepName, boolean> = {
    rows: hasRows && upload.phase !== 'broken' && editor.fault === undefined,
    text: !faults.name && !faults.text && !faults.class,
    check: preview.current && (preview.data?.sendable ?? 0) > 0,
    when: false,
  }
  const running: Partial<Record<StepName, boolean>> = {
    rows: upload.phase === 'running',
    check: checking && done.text,
  }
  const here = stepNames.find((name) => !done[name] && !running[name])
  const stateOf = (name: StepName): StepState =>
    running[name] ? 'running' : done[name] ? 'done' : name === here ? 'here' : 'todo'
  return { rows: stateOf('rows'), text: stateOf('text'), check: stateOf('check'), when: stateOf('when') }
}

/** Alt and 1 to 4 go to a step, wherever the focus is. */
function useStepKeys(): void {
  useKeydown((event) => {
    const name = stepNames[Number(/^Digit([1-4])$/.exec(event.code)?.[1] ?? 0) - 1]
    if (!name || !event.altKey || event.ctrlKey || event.metaKey || modalOpen()) return
    event.preventDefault()
    goToStep(name)
  })
}

function Head({ editor, onSave }: { editor: EditorState; onSave: () => void }) {
  const { save } = editor
  const [asking, setAsking] = useState(false)
  return (
    <>
      <output className="truncate text-sm text-muted max-lg:hidden">
        {save.phase === 'saving' ? (
          words.saving
        ) : save.phase === 'saved' ? (
          <>
            {words.savedSince} {save.saved_at && <Ago at={save.saved_at} />}
          </>
        ) : save.phase === 'unready' ? (
          words.unready
        ) : (
          words.unsaved
        )}
      </output>
      <span className="ml-auto flex gap-2">
        <Button
          tone="ghost"
          aria-label={words.discard}
          title={words.discard}
          needsServer={save.id !== undefined}
          onClick={() => setAsking(true)}
        >
          <span className="max-md:hidden">{words.discard}</span>
          <Trash2 className="size-4 md:hidden" aria-hidden="true" />
        </Button>
        <Button onClick={onSave} needsServer className="max-md:hidden">
          {words.saveDraft}
        </Button>
      </span>
      <Suspense>{asking && <DiscardDialog editor={editor} onClose={() => setAsking(false)} />}</Suspense>
    </>
  )
}
