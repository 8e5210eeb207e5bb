import { toast } from '#console/ui/toast.tsx'
import { troubles as words } from '#console/ui/trouble-text.ts'

/** Copies a text, and says so or that it failed. Resolves to whether it was copied. */
export async function copyText(text: string, said: string): Promise<boolean> {
  const copied = (await writeToClipboard(text)) || copyByCommand(text)
  toast({ text: copied ? said : words.notCopied })
  return copied
}

/** Over HTTP there is no clipboard. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function copyByCommand(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'sr-only'
  // A modal lets no element outside it have the focus.
  const place = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document.body
  place.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return copied
}
