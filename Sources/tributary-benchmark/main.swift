import TributaryMeasuring

Benchmark.main()
