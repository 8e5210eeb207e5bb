import { testEveryText } from './every-text.ts'

testEveryText('second')
