import { Pencil } from 'lucide-react'
import { use, useEffect, useRef, type KeyboardEvent } from 'react'
import { currentLanguage, perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { deviceSettings as words } from './text.ts'
import type { DeviceSettings } from './limits.ts'
import { LARGEST_LIMIT, LimitEditContext, type LimitEdit } from './use-limit-edit.ts'
import { Button } from '#console/ui/button.tsx'
import { TextInput } from '#console/ui/field.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { Pill } from '#console/ui/marks.tsx'

/** The columns, in the order of the user specification. A chosen language has the use of today, too. */
export const limitColumns = perLanguage((): Column<DeviceSettings>[] => [
  {
    key: 'uid',
    sorts: true,
    label: words.columns.uid,
    width: 'minmax(130px, 1.4fr)',
    card: 'uid',
    look: 'font-semibold card:text-lg card:wrap-anywhere',
    cell: ({ uid }) => uid,
    whole: ({ uid }) => uid,
  },
  {
    key: 'status',
    sorts: true,
    label: words.columns.status,
    width: '150px',
    card: 'status',
    look: 'card:justify-self-end',
    cell: ({ status }) => (
      <Pill tone={status === 'connected' ? 'ok' : 'bad'} mark={status === 'connected' ? 'dot' : 'square'}>
        {text.deviceStatus[status]}
      </Pill>
    ),
  },
  {
    key: 'max_sms_dayly',
    sorts: true,
    label: words.columns.max_sms_dayly,
    width: 'minmax(160px, 1fr)',
    card: 'limit',
    look: 'tabular:overflow-visible card:before:block card:before:text-sm card:before:text-muted card:before:content-[attr(data-label)]',
    cell: (device) => <LimitCell device={device} />,
  },
  ...(currentLanguage() === undefined ? [] : [sentColumn()]),
  {
    key: 'actions',
    label: words.columns.actions,
    width: '190px',
    card: 'actions',
    look: 'tabular:overflow-visible card:justify-self-end',
    cell: (device) => <LimitActions device={device} />,
  },
])

function sentColumn(): Column<DeviceSettings> {
  return {
    key: 'sent_today',
    label: words.columns.sent_today,
    width: 'minmax(104px, 0.6fr)',
    card: 'sent',
    sorts: true,
    look: "text-muted tabular-nums card:text-sm card:before:content-[attr(data-label)_'_']",
    cell: ({ sent_today }) => sent_today,
  }
}

function LimitCell({ device }: { device: DeviceSettings }) {
  const edit = useLimit()
  const { uid, max_sms_dayly } = device
  if (edit.uid !== uid) {
    return (
      <>
        <span className="mono font-semibold">{max_sms_dayly}</span>
        {max_sms_dayly === 0 && <span className="ml-2 text-sm text-warn">{words.none}</span>}
      </>
    )
  }

  function press(event: KeyboardEvent): void {
    if (event.key === 'Enter') edit.save(device)
    else if (event.key === 'Escape') edit.cancel()
    else return
    event.preventDefault()
  }

  return (
    <TextInput
      ref={focusAndSelect}
      type="number"
      inputMode="numeric"
      min={0}
      max={LARGEST_LIMIT}
      step={1}
      aria-label={words.limit(uid)}
      aria-invalid={edit.fault?.uid === uid || undefined}
      className="w-32 card:mt-1.5"
      value={edit.typedOf(device)}
      onChange={(event) => edit.type(uid, event.target.value)}
      onKeyDown={press}
    />
  )
}

function LimitActions({ device }: { device: DeviceSettings }) {
  const edit = useLimit()
  if (edit.uid !== device.uid) return <EditButton uid={device.uid} edit={edit} />
  return (
    <span className="flex gap-1.5">
      <Button
        needsServer
        size="sm"
        tone="primary"
        disabled={edit.busy}
        aria-busy={edit.busy}
        onClick={() => edit.save(device)}
      >
        {words.save}
      </Button>
      <Button size="sm" disabled={edit.busy} onClick={edit.cancel}>
        {words.cancel}
      </Button>
    </span>
  )
}

function EditButton({ uid, edit }: { uid: string; edit: LimitEdit }) {
  const button = useRef<HTMLButtonElement>(null)
  const { takesFocus } = edit
  useEffect(() => {
    if (takesFocus(uid)) button.current?.focus({ preventScroll: true })
    // Only on mount, when this button replaces Save and Cancel.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  return (
    <Button
      needsServer
      ref={button}
      size="sm"
      data-opens
      disabled={!edit.writes}
      onClick={() => edit.begin(uid)}
    >
      <Pencil className="size-3.5" aria-hidden="true" />
      {words.edit}
    </Button>
  )
}

function useLimit(): LimitEdit {
  const edit = use(LimitEditContext)
  if (!edit) throw new Error('this cell needs a LimitEditContext above it')
  return edit
}

function focusAndSelect(input: HTMLInputElement | null): void {
  input?.focus({ preventScroll: true })
  input?.select()
}
