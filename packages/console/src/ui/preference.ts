import { useState } from 'react'

/** A choice that this browser remembers under `key`. The default is the first of `choices`. */
export function usePreference<const Choice extends string>(
  key: string,
  choices: readonly [Choice, ...Choice[]],
): [chosen: Choice, choose: (choice: Choice) => void] {
  const [chosen, setChosen] = useState(() => {
    const kept = localStorage.getItem(key)
    return choices.find((choice) => choice === kept) ?? choices[0]
  })
  function choose(choice: Choice): void {
    if (choice === choices[0]) localStorage.removeItem(key)
    else localStorage.setItem(key, choice)
    setChosen(choice)
  }
  return [chosen, choose]
}
