import { useEffect, useRef, type RefObject } from 'react'

/** Whether the component is gone, for a call that may outlast it. */
export function useLeft(): Readonly<RefObject<boolean>> {
  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])
  return left
}
