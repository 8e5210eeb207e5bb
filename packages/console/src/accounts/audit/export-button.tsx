import { exportAudit } from '@sdd/contract/accounts/audit.ts'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { download, faultText } from '#console/core/api.ts'
import { queryOf, type AuditFilter } from './entries.ts'
import { audit as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { saveFile } from '#console/ui/save-file.ts'
import { toast } from '#console/ui/toast.tsx'

/** Saves the filtered entries as a file. */
export function ExportButton({ filter }: { filter: AuditFilter }) {
  const { mutate, isPending } = useMutation({
    mutationFn: () => download(exportAudit, { query: queryOf(filter) }, () => undefined),
    onSuccess: ({ file, name = 'audit-log.csv' }) => saveFile(file, name),
    onError: (fault) => toast({ text: faultText(fault, words.exportFailed) }),
  })
  return (
    <Button title={words.exportTitle} disabled={isPending} aria-busy={isPending} onClick={() => mutate()}>
      <Download className="size-4" aria-hidden="true" />
      {words.csv}
    </Button>
  )
}
