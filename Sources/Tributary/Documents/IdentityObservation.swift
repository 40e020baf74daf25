public import Foundation
public import TributaryDocuments

extension Notification.Name {
  /// Posted after each change of the identity token while an `IdentityObservation` exists. `userInfo` has the
  /// token under `IdentityObservation.tokenKey`, unless no container is available.
  public static let ubiquityIdentityDidChange = Notification.Name(
    "TributaryUbiquityIdentityDidChange")
}

/// Posts `ubiquityIdentityDidChange` as long as it exists.
public final class IdentityObservation: Sendable {
  /// The key of the token in `userInfo`.
  public static let tokenKey = "token"

  private let task: Task<Void, Never>

  /// Starts observing.
  ///
  /// - Parameter containers: `nil` means those of the application.
  /// - Throws: `DocumentError` if the settings of this device cannot be watched.
  public init(_ containers: Containers? = nil) throws {
    let containers =
      try containers ?? Containers(places: .ofUser(), entitlements: .ofApplication())
    let tokens = try containers.identityTokens()
    task = Task {
      // The first token is the current one.
      for await token in tokens.dropFirst() {
        NotificationCenter.default.post(
          name: .ubiquityIdentityDidChange, object: nil,
          userInfo: token.map { [Self.tokenKey: $0] })
      }
    }
  }

  deinit { task.cancel() }
}
