// TributaryFuzzing: properties that hold for any bytes that are read, for the fuzzer and the test of its
// corpus. No product contains it.
//
// `FuzzMode` selects a check by the first byte of an input. `SegmentModel` is a whole segment, so that the
// results of different ways of reading can be compared.
