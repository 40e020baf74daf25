/// What the tables and columns of a random schema are called: in some schemas the first two of each
/// differ in nothing but the case of a letter that is not of ASCII, for which SQLite knows no case.
struct RandomNames: Sendable {
  private let areForeign: Bool

  init(seed: UInt64) { areForeign = seed % 3 == 0 }

  func table(_ number: Int) -> String { name(number, of: ["Ä", "ä"], else: "t") }

  func column(_ number: Int) -> String { name(number, of: ["ö", "Ö"], else: "c") }

  private func name(_ number: Int, of pair: [String], else letter: String) -> String {
    areForeign && number < pair.count ? pair[number] : "\(letter)\(number)"
  }
}
