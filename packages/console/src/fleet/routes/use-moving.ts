import type { RouteList, RouteRule } from '@sdd/contract/fleet/routes.ts'
import { useRef, useState, type KeyboardEvent, type PointerEvent, type RefObject } from 'react'
import { faultText } from '#console/core/api.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { useRoutesSaving } from './calls.ts'
import { routes as words } from './text.ts'
import { toast } from '#console/ui/toast.tsx'

/** Moves rules with a handle, or with Alt and an arrow. Each move is saved at once, and can be undone for ten seconds. */
export function useMoving(
  list: RefObject<HTMLOListElement | null>,
  { routes: rules, version }: RouteList,
  company: string | undefined,
) {
  const saving = useRoutesSaving(company)
  const gone = useServerGone()
  /**
   * The dragged rule, and the place that it would get once the pointer has moved. Its own place changes if others change
   * the list meanwhile.
   */
  const [drag, setDrag] = useState<{ id: number; to?: number }>()
  /** The pointer has moved since it was pressed. Its last moves may not be drawn yet. */
  const moved = useRef(false)
  const from = rules.findIndex(({ id }) => id === drag?.id)
  /** What the last save made of a version: a quick second move still has the version before. */
  const last = useRef<{ of: number; made: number }>(undefined)

  async function save(
    order: readonly RouteRule[],
    of: number,
    said: string,
    undo?: readonly RouteRule[],
  ): Promise<void> {
    // Not an undo, which would remove later changes.
    const current = () => (undo && last.current?.of === of ? last.current.made : of)
    try {
      // Not with callbacks of `mutate`, which are lost when the user leaves the screen.
      const { version: made } = await saving.mutateAsync({ routes: order, version: current })
      last.current = { of, made }
      const back = undo && {
        action: { label: words.undo, run: () => void save(undo, made, words.undone) },
        fades: true,
      }
      toast({ text: said, ...back })
    } catch (fault) {
      toast({ text: faultText(fault, words.moveFailed) })
    }
  }

  function move(from: number, to: number): void {
    if (gone || to === from || to < 0 || to >= rules.length) return
    const order = [...rules]
    order.splice(to, 0, ...order.splice(from, 1))
    void save(order, version, words.moved(from + 1, to + 1), rules)
  }

  /** Like the pointer's row, or the nearest one. */
  function placeAt(y: number): number {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-index]') ?? [])]
    const below = rows.findIndex((row) => y < row.getBoundingClientRect().bottom)
    return below === -1 ? rows.length - 1 : below
  }

  return {
    /** The place that the dragged rule would get. */
    over: from !== -1 && drag?.to !== from ? drag?.to : undefined,
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
        moved.current = false
        setDrag({ id: rules[place]!.id })
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        moved.current = true
        if (drag) setDrag({ ...drag, to: placeAt(event.clientY) })
      },
      onPointerUp(event: PointerEvent<HTMLElement>) {
        if (moved.current && from !== -1) move(from, placeAt(event.clientY))
        setDrag(undefined)
      },
      onPointerCancel: () => setDrag(undefined),
    }),
  }
}
