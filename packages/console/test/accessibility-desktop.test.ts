import { testEveryPlace } from './every-place.ts'

testEveryPlace('desktop', 'first', ['zoomed'])
