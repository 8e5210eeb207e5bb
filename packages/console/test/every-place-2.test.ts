import { testEveryPlace } from './every-place.ts'

testEveryPlace(2)
