/** The known states of a list with commas. */
export function statesIn<State extends string>(list: string | undefined, states: readonly State[]): State[] {
  const named = list?.split(',') ?? []
  return states.filter((state) => named.includes(state))
}
