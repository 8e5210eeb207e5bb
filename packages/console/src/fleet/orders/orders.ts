import { giveOrder, listOrders, type Ability, type NewOrder, type Order } from '@sdd/contract/fleet/orders.ts'
import type * as z from 'zod/mini'
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { callApi, faultText } from '#console/core/api.ts'
import { orders as words } from './text.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { toast } from '#console/ui/toast.tsx'

/** The orders of a page of the list. */
const AT_ONCE = 20

/** Orders to a device, the newest first. The server announces their answers as a change of the devices. */
export function ordersQuery(uid: string) {
  return infiniteQueryOptions({
    queryKey: ['devices', 'orders', uid],
    queryFn: ({ signal, pageParam }) =>
      callApi(listOrders, { params: { uid }, query: { limit: String(AT_ONCE), cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    // The end of an order without an answer is not announced.
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.orders.some((order) => order.state === 'given') ? 5_000 : false,
  })
}

export function useOrders(uid: string) {
  const query = useInfiniteQuery(ordersQuery(uid))
  return { ...query, orders: query.data?.pages.flatMap((page) => page.orders) }
}

export type Asked = z.input<typeof NewOrder>

/** Resolves to the order's id. */
export function ask(uid: string, body: Asked): Promise<number> {
  return callApi(giveOrder, { params: { uid }, body }).then(({ order }) => order)
}

/** Gives an order from a button. A toast says why it was refused. */
export function useAsk(uid: string) {
  const client = useQueryClient()
  return useMutation({
    mutationKey: ['order'],
    mutationFn: (order: Asked) => ask(uid, order),
    onSettled: () => client.invalidateQueries(ordersQuery(uid)),
    onError: (fault) => toast({ text: faultText(fault, words.failed) }),
  })
}

/** Why the device cannot be asked for this now; undefined if it can. */
export function whyNot(
  { status }: Pick<Device, 'status'>,
  abilities: readonly Ability[],
  what: Ability,
): string | undefined {
  if (!abilities.includes(what)) return words.notAble
  return status === 'connected' ? undefined : words.away
}

export function isPending({ state }: Order): boolean {
  return state === 'given'
}
