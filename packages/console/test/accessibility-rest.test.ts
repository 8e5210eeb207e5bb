import { testEveryPlace } from './every-place.ts'

testEveryPlace('second')
