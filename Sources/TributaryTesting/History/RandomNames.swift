/// The names of the tables and columns of a random schema. In some schemas, the first two of each
/// differ only in the case of a non-ASCII letter, which SQLite does not treat as a difference in
/// case.
struct RandomNames: Sendable {
  private let areForeign: Bool

  init(seed: UInt64) { areForeign = seed % 3 == 0 }

  func table(_ number: Int) -> String { name(number, of: ["Ä", "ä"], else: "t") }

  func column(_ number: Int) -> String { name(number, of: ["ö", "Ö"], else: "c") }

  private func name(_ number: Int, of pair: [String], else letter: String) -> String {
    areForeign && number < pair.count ? pair[number] : "\(letter)\(number)"
  }
}
