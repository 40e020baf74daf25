// TributaryFoundation: Foundation's types as values of a database.
//
// `Date`, `UUID`, `Data` and `Decimal` can be bound, read back, and be properties of `Codable` rows. Each
// file says how its type is stored. The stored form never changes.
@_exported import Foundation
@_exported import Tributary
