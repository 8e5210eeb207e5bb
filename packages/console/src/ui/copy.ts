import { toast } from '#console/ui/toast.tsx'

/** Copies a text and says so. If the browser refuses, it shows nothing. */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    return
  }
  toast({ text: said })
}
