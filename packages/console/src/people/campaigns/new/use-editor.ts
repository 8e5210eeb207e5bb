import { CallFault } from '@sdd/contract/core/client.ts'
import type { CampaignPreview, CheckedRow } from '@sdd/contract/people/campaign-checks.ts'
import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { MAX_FIELDS } from '@sdd/contract/people/contacts.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { faultText } from '#console/core/api.ts'
import { useOnChange } from '#console/core/live/live-context.ts'
import { throttled } from '#console/core/live/refresh.ts'
import { removeCampaign } from '#console/people/campaigns/campaigns.ts'
import type { CsvTable } from '#console/people/csv/csv.ts'
import { guessMapping, type ColumnChoice } from '#console/people/csv/mapping.ts'
import { useCsv } from '#console/people/csv/use-csv.ts'
import { previewQuery, putDraft, putRows } from './calls.ts'
import { emptyDraft, fieldsOf, keep, readKept, type DraftFields } from './draft.ts'
import { planFault, rowOf, rowTargets, type Correction, type UploadPlan } from './rows.ts'
import { openSaver, type SaveState } from './saver.ts'
import { newCampaign as words } from './text.ts'
import { NOT_UPLOADED, openUploader, type UploadState } from './uploader.ts'
import { toast } from '#console/ui/toast.tsx'
import { useLeft } from '#console/ui/use-left.ts'

/** After the last change, before it is saved, in ms. */
const SAVE_PAUSE_MS = 800
const UPLOAD_PAUSE_MS = 500

type Mapped = { table: CsvTable; plan: UploadPlan }

/** The draft on the screen: its fields, its file, and how much of both the server has. */
export function useEditor(campaign: Campaign | undefined, onCreated: (id: number) => void) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<DraftFields>(
    () => readKept(campaign?.id) ?? (campaign ? fieldsOf(campaign) : emptyDraft),
  )
  const [company, setCompany] = useState(campaign?.company_id)
  const { data: settings } = useQuery(globalSettingsQuery)
  const [save, setSave] = useState<SaveState>({
    phase: campaign ? 'saved' : 'unready',
    id: campaign?.id,
    saved_at: undefined,
    fault: undefined,
  })
  const [upload, setUpload] = useState<UploadState>(NOT_UPLOADED)
  /** Counts what changed the rows on the server. */
  const [stored, setStored] = useState(0)
  const put = useEffectEvent((id: number | undefined, body: Parameters<typeof putDraft>[1]) =>
    putDraft(id, body, company),
  )
  const [uploader] = useState(() => {
    const made = openUploader({
      send: putRows,
      show: (state) => {
        setUpload(state)
        if (state.phase === 'done') setStored((now) => now + 1)
      },
      pause_ms: UPLOAD_PAUSE_MS,
    })
    if (campaign) made.attach(campaign.id)
    return made
  })

  const left = useLeft()
  const created = useEffectEvent((id: number) => {
    // It is saved, but the person is elsewhere.
    if (left.current) return
    uploader.attach(id)
    onCreated(id)
  })
  const [saver] = useState(() =>
    openSaver({
      put: (id, body) => put(id, body),
      remove: (id) =>
        void removeCampaign(id).catch((fault: unknown) =>
          toast({ text: faultText(fault, words.discardFailed) }),
        ),
      show: setSave,
      keep,
      created: (id) => created(id),
      campaign: campaign && { id: campaign.id, saved: fieldsOf(campaign) },
      pause_ms: SAVE_PAUSE_MS,
    }),
  )

  const csv = useCsv({ onTable: () => undefined })
  const table = csv.file?.table
  const [mapped, setMapped] = useState<Mapped>()
  if (table && table !== mapped?.table) {
    const choices = guessMapping(table, rowTargets, MAX_FIELDS)
    setMapped({ table, plan: { rows: table.rows, choices, corrections: new Map(), plain: false } })
  }
  const plan = table && mapped?.table === table ? mapped.plan : undefined
  const fault = plan && planFault(plan, MAX_FIELDS)

  const begin = useEffectEvent(() => {
    // What this tab kept from before is not on the server yet.
    if (JSON.stringify(draft) !== JSON.stringify(campaign ? fieldsOf(campaign) : emptyDraft))
      saver.edit(draft)
  })
  useEffect(() => {
    begin()
    return () => {
      saver.leave()
      uploader.leave()
    }
  }, [saver, uploader])

  function replan(change: Partial<Pick<UploadPlan, 'choices' | 'plain'>>): void {
    if (mapped) setMapped({ ...mapped, plan: { ...mapped.plan, ...change } })
  }

  // The uploader follows the plan, however it came about: by a file, a layout or a column.
  const { rows, choices, plain } = plan ?? {}
  const give = useEffectEvent(() => uploader.give(fault === undefined ? plan : undefined))
  useEffect(() => {
    give()
  }, [rows, choices, plain])

  const version = `${save.saved_at} ${stored}`
  // Rows that the screen shows and the server has not would be left out.
  const settled =
    save.phase === 'saved' && fault === undefined && (upload.phase === 'none' || upload.phase === 'done')
  const preview = useQuery({
    ...previewQuery(save.id, version),
    enabled: save.id !== undefined && settled,
  })
  const refetch = useEffectEvent(async () => {
    if (settled) await preview.refetch()
  })
  // Each check reads all rows, and devices change often.
  const [refresh] = useState(() => throttled(() => refetch()))
  useOnChange('opt_outs', refresh)
  useOnChange('contacts', refresh)
  useOnChange('devices', refresh)
  useOnChange('settings', refresh)
  useOnChange(undefined, () => {
    const unanswered = save.fault instanceof CallFault && save.fault.status === 0
    if (save.phase === 'failed' && unanswered) saver.save()
  })

  return {
    id: save.id,
    draft,
    /** The company that it belongs to: the user's own, until another one is chosen. */
    company: company ?? settings?.[0]?.company_id,
    setCompany,
    change(part: Partial<DraftFields>): void {
      const next = { ...draft, ...part }
      setDraft(next)
      saver.edit(next)
    },
    save,
    saver,
    csv: {
      ...csv,
      choose(file: File): void {
        csv.choose(file)
        // A name to begin with.
        const name = file.name.replace(/\.[a-z]{2,4}$/i, '').slice(0, 100)
        if (draft.name.trim() !== '' || name === '') return
        const next = { ...draft, name }
        setDraft(next)
        saver.edit(next)
      },
    },
    table,
    plan,
    fault,
    choose: (next: readonly ColumnChoice[]) => replan({ choices: next }),
    setPlain: (next: boolean) => replan({ plain: next }),
    upload,
    uploader,
    /** Stores a corrected row, here and on the server. */
    async correct(row: number, correction: Correction): Promise<void> {
      await putRows(save.id!, { first_row: row, rows: [correction] })
      if (mapped) {
        const corrections = new Map(mapped.plan.corrections).set(row, correction)
        setMapped({ ...mapped, plan: { ...mapped.plan, corrections } })
      }
      setStored((now) => now + 1)
    },
    /** The time that a row asks for. One that cannot be read stays in the file until it is corrected. */
    timeOf: ({ row, at }: CheckedRow): string | null => at ?? (plan && rowOf(plan, row).at) ?? null,
    /** Removes the rows that the draft has, and begins without a file. */
    async removeRows(): Promise<void> {
      await putRows(save.id!, { first_row: 1, rows: [], last: true })
      setStored((now) => now + 1)
      void queryClient.invalidateQueries({ queryKey: ['campaigns'] })
    },
    version,
    settled,
    preview: previewState(preview, settled),
    recheck: () => void preview.refetch(),
  }
}

export type EditorState = ReturnType<typeof useEditor>

/** The figures of the check. They are current if nothing on the screen has changed since. */
export type PreviewState = {
  data: CampaignPreview | undefined
  current: boolean
  failed: boolean
  at_ms: number
}

function previewState(
  query: {
    data: CampaignPreview | undefined
    isPlaceholderData: boolean
    isError: boolean
    dataUpdatedAt: number
  },
  settled: boolean,
): PreviewState {
  const { data, isPlaceholderData, isError, dataUpdatedAt } = query
  return {
    data,
    current: settled && data !== undefined && !isPlaceholderData,
    failed: isError,
    at_ms: dataUpdatedAt,
  }
}
