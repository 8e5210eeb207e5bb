import type { RouteRule } from '@sdd/contract/fleet/routes.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type KeyboardEvent, type PointerEvent, type RefObject } from 'react'
import { faultText } from '#console/core/api.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { routesQuery, useRoutesSaving } from './calls.ts'
import { routes as words } from './text.ts'
import { toast } from '#console/ui/toast.tsx'

/** Moves rules with a handle, or with Alt and an arrow. Each move is saved at once, and can be undone for ten seconds. */
export function useMoving(list: RefObject<HTMLOListElement | null>, rules: readonly RouteRule[]) {
  const client = useQueryClient()
  const saving = useRoutesSaving()
  const gone = useServerGone()
  /** The place of the dragged rule, and the place that it would get. */
  const [drag, setDrag] = useState<{ from: number; to: number }>()

  function save(order: readonly RouteRule[], said: string, undo?: readonly RouteRule[]): void {
    client.setQueryData(routesQuery.queryKey, (now) => now && { ...now, routes: [...order] })
    saving.mutate(order, {
      onSuccess: () =>
        toast({
          text: said,
          ...(undo && {
            action: { label: words.undo, run: () => save(undo, words.undone) },
            fades: true,
          }),
        }),
      onError: (fault) => toast({ text: faultText(fault, words.moveFailed) }),
    })
  }

  function move(from: number, to: number): void {
    if (gone || to === from || to < 0 || to >= rules.length) return
    const order = [...rules]
    order.splice(to, 0, ...order.splice(from, 1))
    save(order, words.moved(from + 1, to + 1), rules)
  }

  /** Like the pointer's row, or the nearest one. */
  function placeAt(y: number): number {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-index]') ?? [])]
    const below = rows.findIndex((row) => y < row.getBoundingClientRect().bottom)
    return below === -1 ? rows.length - 1 : below
  }

  return {
    /** The place that the dragged rule would get. */
    over: drag && drag.to !== drag.from ? drag.to : undefined,
    row: (place: number) => ({
      onKeyDown(event: KeyboardEvent<HTMLElement>) {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
        if (step === undefined || !event.altKey || event.ctrlKey || event.metaKey) return
        event.preventDefault()
        move(place, place + step)
      },
    }),
    handle: (place: number) => ({
      onPointerDown(event: PointerEvent<HTMLElement>) {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ from: place, to: place })
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (drag) setDrag({ ...drag, to: placeAt(event.clientY) })
      },
      onPointerUp() {
        if (drag) move(drag.from, drag.to)
        setDrag(undefined)
      },
      onPointerCancel: () => setDrag(undefined),
    }),
  }
}
