// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as an application is. Every feature that a later Swift will demand is on.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "tributary-examples",
  dependencies: [.package(name: "tributary", path: "../..")],
  targets: [
    .executableTarget(
      name: "music", dependencies: [.product(name: "Tributary", package: "tributary")],
      swiftSettings: settings),
    .executableTarget(
      name: "notes", dependencies: [.product(name: "Tributary", package: "tributary")],
      swiftSettings: settings),
    .testTarget(name: "ExampleTests", dependencies: ["music", "notes"], swiftSettings: settings),
  ]
)
