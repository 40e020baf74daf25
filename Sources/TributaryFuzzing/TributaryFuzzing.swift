// TributaryFuzzing: what holds for any bytes that are read, for the fuzzer and the test of its corpus. No product
// contains it.
//
// `FuzzMode` selects a check by the first byte of an input. `SegmentModel` is a segment as a whole, so that what was
// read in different ways can be compared.
