// swift-tools-version: 6.2
import PackageDescription

// Layers, lowest first. A target may depend only on targets that stand above it in this list;
// `tools/check` compares every `import` with the list.
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
// Tests run once for each build, so optimizing their code takes longer than it saves. Test failures name their
// lines without debug information, and leaving that out saves a fifth of the compilation. Nothing imports test
// modules, so no second compiler has to read a whole module to make its interface early.
let testSettings =
  settings + [
    .unsafeFlags(["-Onone", "-gnone"]),
    .unsafeFlags(["-no-emit-module-separately-wmo"], .when(configuration: .release)),
  ]

func layer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.init(stringLiteral: name)] + dependencies,
    swiftSettings: testSettings)
}

let package = Package(
  name: "tributary",
  products: [
    .library(name: "Tributary", targets: ["Tributary"]),
    .library(name: "TributaryFoundation", targets: ["TributaryFoundation"]),
    .library(name: "TributaryTestSupport", targets: ["TributaryTestSupport"]),
    .executable(name: "tributary", targets: ["tributary-cli"]),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CPlatform"),
    .target(
      name: "CResources", exclude: ["report.html", "page.html"],
      cSettings: [.treatAllWarnings(as: .error)]),
    // Loads libmicrohttpd when the first server starts.
    .target(name: "CMicroHTTPD", cSettings: [.treatAllWarnings(as: .error)]),

    layer("TributaryCore", []),
    layer("TributaryHorizon", ["TributaryCore"]),
    layer("TributaryLog", ["TributaryCore", "TributaryHorizon", "CLZ4", "CSodium"]),
    layer("TributarySQLite", ["TributaryCore", "CSQLite"]),
    layer("TributaryFiles", ["TributaryCore", "CPlatform"]),

    layer(
      "TributaryContainer",
      ["TributaryCore", "TributaryHorizon", "TributaryLog", "TributaryFiles"]),
    layer(
      "TributaryReplay",
      ["TributaryCore", "TributaryHorizon", "TributaryLog", "TributaryFiles", "TributaryContainer"]),
    layer(
      "TributaryStore",
      [
        "TributaryCore", "TributaryHorizon", "TributaryLog", "TributarySQLite", "TributaryFiles",
        "CSQLite", "CSodium", "CResources",
      ]),
    layer(
      "TributaryMerge", ["TributaryCore", "TributaryLog", "TributarySQLite", "TributaryStore"]),
    layer(
      "TributarySync",
      [
        "TributaryCore", "TributaryHorizon", "TributaryLog", "TributarySQLite", "TributaryFiles",
        "TributaryContainer",
        "TributaryReplay", "TributaryStore", "TributaryMerge",
      ]),

    // Files and directories of this machine: neither logs nor stores.
    layer("TributaryCoordination", ["TributaryCore", "TributaryFiles", "CPlatform"]),

    layer(
      "TributaryKeyValue",
      ["TributaryCore", "TributarySQLite", "TributaryFiles", "TributaryStore", "TributarySync"]),

    layer(
      "TributaryDocuments",
      [
        "TributaryCore", "TributaryFiles", "TributaryContainer", "TributarySQLite",
        "TributaryStore", "TributarySync", "TributaryCoordination",
      ]),

    layer(
      "Tributary",
      [
        "TributaryCore", "TributaryLog", "TributarySQLite", "TributaryFiles", "TributaryContainer",
        "TributaryReplay", "TributaryStore", "TributaryMerge", "TributarySync",
        "TributaryCoordination", "TributaryKeyValue", "TributaryDocuments",
      ]),

    // Stores Foundation's types as values.
    layer("TributaryFoundation", ["TributaryCore", "Tributary"]),

    // For tests of applications, not for tests of this package.
    layer("TributaryTestSupport", ["TributaryFiles", "Tributary"]),

    layer(
      "TributaryInspection",
      [
        "TributaryCore", "TributaryLog", "TributarySQLite", "TributaryFiles", "TributaryContainer",
        "TributaryReplay", "TributaryStore", "TributaryMerge", "TributarySync", "CPlatform",
        "CResources",
      ]),

    // Does not use the umbrella module, which brings all of Foundation: loading that takes longer than most
    // commands.
    layer(
      "TributaryCommand",
      [
        "TributaryCore", "TributaryLog", "TributarySQLite", "TributaryFiles",
        "TributaryContainer", "TributaryReplay", "TributaryStore", "TributaryMerge",
        "TributarySync", "TributaryKeyValue", "TributaryDocuments", "TributaryInspection",
        "CPlatform", "CResources", "CMicroHTTPD",
      ]),
    .executableTarget(
      name: "tributary-cli", dependencies: ["TributaryCommand"], swiftSettings: settings),
    .executableTarget(
      name: "tributary-example", dependencies: ["Tributary"], swiftSettings: settings),

    // Measures the product; the product contains none of it.
    layer(
      "TributaryMeasuring",
      [
        "TributaryCore", "TributaryLog", "TributarySQLite", "TributaryFiles", "TributaryHorizon",
        "TributaryContainer", "TributaryReplay", "TributaryStore", "TributarySync", "CSQLite",
      ]),
    .executableTarget(
      name: "tributary-benchmark", dependencies: ["TributaryMeasuring"], swiftSettings: settings),
    // Replaces functions of the C library, so no other product may contain it.
    .target(
      name: "CCounting", dependencies: ["CSQLite"], cSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "tributary-counts", dependencies: ["TributaryMeasuring", "CCounting"],
      swiftSettings: settings),

    // Test support: a process that works until it is killed.
    .executableTarget(
      name: "tributary-crash",
      dependencies: [
        "TributaryCore", "TributaryFiles", "TributaryStore", "TributarySync", "TributaryDocuments",
        "TributaryKeyValue",
      ],
      swiftSettings: settings),

    // Test support: a process that uses coordinated files until it is killed.
    .executableTarget(
      name: "tributary-contender", dependencies: ["TributaryFiles", "TributaryCoordination"],
      swiftSettings: settings),

    // Test support: what must hold for any bytes that are read, for the fuzzers and their corpus.
    layer(
      "TributaryFuzzing",
      ["TributaryCore", "TributaryLog", "TributaryFiles", "TributaryContainer"]),

    // Test support: only tests may decide for a whole process how SQLite counts its memory.
    .target(
      name: "CTestMemory", dependencies: ["CSQLite"], cSettings: [.treatAllWarnings(as: .error)]),

    // Test support: the reference model of the merge, random schemas and writes, hostile fakes. It uses no code
    // of the engine, so the reference is independent of it, and the tests of the lower modules compile in
    // parallel with it.
    layer(
      "TributaryTesting",
      [
        "TributaryCore", "TributaryLog", "TributarySQLite", "TributaryFiles", "TributaryContainer",
        "CSQLite", "CTestMemory",
      ]),
    tests("TributaryTesting", ["TributaryCore", "CSQLite"]),

    // Test support: fleets of real stores, on disks and carriers that fail.
    layer(
      "TributarySimulation",
      [
        "TributaryCore", "TributaryHorizon", "TributaryLog", "TributarySQLite", "TributaryFiles",
        "TributaryContainer", "TributaryReplay", "TributaryStore", "TributaryMerge",
        "TributarySync", "TributaryTesting",
      ]),
    tests("TributarySimulation", ["TributaryCore", "TributaryFiles", "TributaryTesting"]),
    tests("TributaryMeasuring", ["TributaryTesting"]),
    tests("TributaryCore", []),
    tests("TributaryHorizon", ["TributaryCore", "TributaryTesting"]),
    tests(
      "TributaryLog",
      [
        "TributaryCore", "TributaryHorizon", "TributaryContainer", "TributaryFuzzing",
        "TributaryTesting", "CSodium",
      ]),
    tests("TributaryFuzzing", ["TributaryTesting"]),
    tests("TributarySQLite", ["TributaryCore", "TributaryTesting"]),
    tests("TributaryFiles", ["TributaryCore", "TributaryTesting"]),
    tests(
      "TributaryContainer",
      ["TributaryCore", "TributaryFiles", "TributaryHorizon", "TributaryLog", "TributaryTesting"]),
    tests(
      "TributaryStore",
      [
        "TributaryCore", "TributaryLog", "TributarySQLite", "TributarySimulation",
        "TributaryTesting", "tributary-crash",
      ]),
    tests(
      "TributarySync",
      [
        "TributaryCore", "TributaryHorizon", "TributaryLog", "TributarySQLite", "TributaryFiles",
        "TributaryContainer",
        "TributaryReplay", "TributaryStore", "TributaryMerge", "TributarySimulation",
        "TributaryTesting",
        "tributary-crash",
      ]),
    tests(
      "TributaryCoordination", ["TributaryFiles", "TributaryTesting", "tributary-contender"]),
    tests(
      "TributaryDocuments",
      [
        "TributaryCore", "TributaryContainer", "TributaryFiles", "TributarySQLite",
        "TributaryStore", "TributarySync", "TributaryCoordination", "TributaryTesting",
        "tributary-crash",
      ]),
    tests(
      "TributaryInspection",
      [
        "TributaryCore", "TributaryLog", "TributarySQLite", "TributaryContainer",
        "TributaryReplay", "TributaryStore", "TributarySimulation", "TributaryTesting",
      ]),
    tests(
      "TributaryKeyValue",
      [
        "TributaryContainer", "TributaryCore", "TributaryFiles", "TributarySQLite",
        "TributaryStore", "TributarySync", "TributaryTesting", "tributary-crash",
      ]),
    tests(
      "Tributary",
      [
        "TributaryCore", "TributarySQLite", "TributaryFiles", "TributaryStore", "TributarySync",
        "TributarySimulation", "TributaryTesting",
      ]),
    tests("TributaryFoundation", ["Tributary", "TributaryTesting"]),
    tests("TributaryTestSupport", []),
    tests(
      "TributaryCommand",
      [
        "TributaryCore", "TributaryContainer", "TributaryFiles", "TributaryInspection",
        "TributaryLog", "TributarySQLite", "TributaryStore", "TributarySync", "TributarySimulation",
        "TributaryTesting",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// The modules of the C library. `@c` needs Swift 6.3.
#if compiler(>=6.3)
  package.targets += [
    .systemLibrary(name: "CTributary"),
    layer(
      "TributaryC",
      [
        "TributaryCore", "TributaryFiles", "TributarySQLite", "TributaryStore", "TributarySync",
        "TributaryCommand", "CSQLite", "CTributary",
      ]),
    tests(
      "TributaryC",
      ["TributaryFiles", "TributarySQLite", "TributaryTesting", "CSQLite", "CTributary"]),
  ]
#endif

// A program only in the build that `tools/fuzz` makes, in which all modules are instrumented and libFuzzer has
// `main`. In all other builds it is a library that nothing uses, so that it keeps compiling.
if Context.environment["TRIBUTARY_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "tributary-fuzz", dependencies: ["TributaryFuzzing"],
      // Without this option, a single file would be a script with its own `main`.
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
} else {
  package.targets.append(layer("tributary-fuzz", ["TributaryFuzzing"]))
}
