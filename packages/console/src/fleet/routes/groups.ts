import type { RouteRule } from '@sdd/contract/fleet/routes.ts'
import { fallbackWords } from '@sdd/contract/fleet/routes.ts'
import type { Device } from '#console/fleet/devices/devices.ts'

/** The devices with a tag; with null, all of them. */
export type Group = { tag: string | null; connected: number; total: number }

/** A group for each tag that a device has or a rule names, by name, and all devices at the end. */
export function groupsOf(
  devices: readonly Pick<Device, 'tags' | 'status'>[],
  rules: readonly Pick<RouteRule, 'via' | 'fallback'>[],
): Group[] {
  const found = new Map<string, Group>()
  const of = (tag: string) => found.getOrInsertComputed(tag, () => ({ tag, connected: 0, total: 0 }))
  const words: readonly string[] = fallbackWords
  for (const { via, fallback } of rules) {
    if (via !== null) of(via)
    if (!words.includes(fallback)) of(fallback)
  }
  const all: Group = { tag: null, connected: 0, total: 0 }
  for (const { tags = [], status } of devices)
    for (const group of [all, ...tags.map(of)]) {
      group.total++
      if (status === 'connected') group.connected++
    }
  return [...[...found.values()].sort((one, other) => one.tag!.localeCompare(other.tag!)), all]
}

/** Whether no device of the group is connected. */
export function isDown(groups: readonly Group[] | undefined, tag: string | null): boolean {
  const group = groups?.find((one) => one.tag === tag)
  return group !== undefined && group.connected === 0
}
