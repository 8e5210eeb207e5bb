import { useState } from 'react'

/** The address of a screen, by the name that a person gave it. */
export type SavedView<Search> = { name: string; search: Search }

/** The most that are kept; the oldest goes first. */
const MOST = 50

/** The views that this browser keeps under `key`, by name. Saving a name again replaces its view. */
export function useSavedViews<Search extends object>(key: string) {
  const [views, setViews] = useState<readonly SavedView<Search>[]>(() => viewsIn(localStorage.getItem(key)))
  function keep(next: readonly SavedView<Search>[]): void {
    localStorage.setItem(key, JSON.stringify(next))
    setViews(next)
  }
  const others = (name: string) => views.filter((view) => view.name !== name)
  return {
    views: views.toSorted((a, b) => a.name.localeCompare(b.name)),
    save: (name: string, search: Search) => keep([...others(name), { name, search }].slice(-MOST)),
    remove: (name: string) => keep(others(name)),
  }
}

/** None if the browser has something else under the key. */
function viewsIn<Search extends object>(kept: string | null): SavedView<Search>[] {
  try {
    const views: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(views) ? views.filter(isView) : []
  } catch {
    return []
  }
}

function isView(view: unknown): boolean {
  const { name, search } = Object(view) as Record<string, unknown>
  return typeof name === 'string' && typeof search === 'object' && search !== null
}
