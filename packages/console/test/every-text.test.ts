import { testEveryText } from './every-text.ts'

testEveryText('first')
