import { toast } from '#console/ui/toast.tsx'

/** Copies a text and says so. Where the browser does not let it, nothing is said to be copied. */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    return
  }
  toast({ text: said })
}
