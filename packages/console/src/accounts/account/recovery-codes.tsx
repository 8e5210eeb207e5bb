import { Copy, Download } from 'lucide-react'
import { text } from '#console/core/text.ts'
import { account as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { saveFile } from '#console/ui/save-file.ts'
import { ShownOnce } from '#console/ui/shown-once.tsx'

/** Shows the recovery codes. The server never shows them again. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const all = `${codes.join('\n')}\n`
  return (
    <ShownOnce title={words.codesTitle} onClose={onClose}>
      {(copied) => (
        <>
          <p className="text-muted">{words.codesMean}</p>
          <ul
            aria-label={words.codesList}
            className="grid gap-y-1.5 rounded-sm border border-line bg-sunken px-4 py-3 font-mono select-all"
          >
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => void copyText(all, text.copied).then((done) => done && copied())}>
              <Copy className="size-4" aria-hidden="true" />
              {words.copyCodes}
            </Button>
            <Button
              onClick={() => {
                saveFile(new Blob([`${text.product} · ${location.host}\n\n${all}`]), words.codesFile)
                copied()
              }}
            >
              <Download className="size-4" aria-hidden="true" />
              {words.downloadCodes}
            </Button>
          </div>
        </>
      )}
    </ShownOnce>
  )
}
