import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { Button } from '#console/ui/button.tsx'

type Said = { text: string; action?: { label: string; run: () => void } }

const manager = Toast.createToastManager()

/** Says something that belongs to no form, briefly; with a button it stays longer. */
export function toast({ text, action }: Said): void {
  const id = manager.add({
    description: text,
    timeout: action ? 12_000 : 4_000,
    priority: action ? 'high' : 'low',
    actionProps: action && {
      children: action.label,
      onClick: () => {
        manager.close(id)
        action.run()
      },
    },
  })
}

/** Where toasts show; once in the shell. */
export function Toasts({ closeLabel }: { closeLabel: string }) {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed bottom-5 left-5 z-50 flex w-[360px] max-w-[calc(100vw-1.5rem)] flex-col gap-2 max-md:bottom-3 max-md:left-3">
          <ToastList closeLabel={closeLabel} />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList({ closeLabel }: { closeLabel: string }) {
  const { toasts } = Toast.useToastManager()
  return toasts.map((entry) => (
    <Toast.Root
      key={entry.id}
      toast={entry}
      className="rounded-md border-l-4 border-accent bg-ink text-sm text-panel shadow-xl data-limited:hidden"
    >
      <Toast.Content className="flex items-center gap-2 py-2 pr-2 pl-3">
        <Toast.Description className="flex-1" />
        <Toast.Action className="h-7 rounded-sm px-2 font-semibold underline max-md:h-11" />
        <Toast.Close render={<Button tone="ghost" size="sm" square aria-label={closeLabel} />}>
          <X className="size-4" aria-hidden="true" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
