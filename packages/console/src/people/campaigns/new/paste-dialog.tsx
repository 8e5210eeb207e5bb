import { useState } from 'react'
import { newCampaign as words } from './text.ts'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { boxLook, Field, inputLook } from '#console/ui/field.tsx'

/** Takes rows that were copied in a spreadsheet. */
export default function PasteDialog({
  onUse,
  onClose,
}: {
  onUse: (rows: string) => void
  onClose: () => void
}) {
  const [rows, setRows] = useState('')
  return (
    <Modal title={words.pasteTitle} wide onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (rows.trim() === '') return
          onUse(rows)
          onClose()
        }}
      >
        <Field label={words.pasteLabel} hint={words.pasteHint}>
          {(ids) => (
            <span className={`${boxLook} p-2`}>
              <textarea
                {...ids}
                rows={10}
                className={`mono ${inputLook}`}
                spellCheck={false}
                value={rows}
                onChange={({ target }) => setRows(target.value)}
              />
            </span>
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button size="lg" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button size="lg" tone="primary" type="submit" disabled={rows.trim() === ''}>
            {words.pasteUse}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
