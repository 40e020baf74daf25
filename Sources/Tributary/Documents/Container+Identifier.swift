public import Foundation
public import TributaryDocuments

extension Container {
  /// Returns the container of an identifier, making it with its `Documents` directory at the first use. It
  /// may block while a mount does not answer, so do not call it on the main thread.
  ///
  /// - Parameters:
  ///   - identifier: `nil` means the first container that the entitlements grant.
  ///   - entitlements: `nil` means what `Entitlements.ofApplication` grants.
  ///   - places: `nil` means what the environment says.
  /// - Returns: `nil` if the container is unavailable: disabled on this device, or absent.
  /// - Throws: `DocumentError` if the identifier is invalid, or is not granted.
  public static func lookup(
    _ identifier: String? = nil, entitlements: Entitlements? = nil, places: DataPlaces? = nil
  ) throws -> Container? {
    let containers = try Containers(
      places: places ?? .ofUser(), entitlements: entitlements ?? .ofApplication())
    let path = try containers.path(for: identifier.map { try ContainerIdentifier($0) })
    return path.map(Container.init(expectedAt:))
  }

  /// Returns the location of the container of an identifier, as `lookup` finds it.
  public static func url(forUbiquityContainerIdentifier identifier: String?) throws -> URL? {
    try lookup(identifier).map { URL(filePath: $0.path, directoryHint: .isDirectory) }
  }

  /// The `Documents` directory, whose contents users see.
  public var documents: String { path + "/" + Containers.documentsName }

  /// Returns the token of the current directory of containers; `nil` while the main container is unavailable.
  public static func ubiquityIdentityToken() throws -> IdentityToken? {
    try Containers(places: .ofUser(), entitlements: .ofApplication()).identityToken()
  }

  /// Returns the tokens from now on, the current one first; see `Containers.identityTokens`.
  public static func ubiquityIdentityTokens() throws -> IdentityTokenSequence {
    try Containers(places: .ofUser(), entitlements: .ofApplication()).identityTokens()
  }
}
