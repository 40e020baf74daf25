import TributaryCore

/// Words that compress about as well as names do. They are drawn from a few thousand words, common
/// ones more often.
///
/// A changeset of 100 inserted rows, compressed with LZ4, has about 109 bytes per row.
struct Vocabulary {
  let words: [String]
  let artists: [String]
  let albums: [String]
  let genres = [
    "Ambient", "Baroque", "Blues", "Chamber", "Choral", "Electronic", "Folk", "Jazz", "Opera",
    "Rock",
    "Soul", "Soundtrack",
  ]

  init(_ random: inout Randomness) {
    let consonants = Array("bcdfghklmnprstvwz")
    let vowels = Array("aeiouy")
    words = (0..<4000).map { _ in
      var word = ""
      for _ in 0..<(1 + random.below(3)) {
        word.append(consonants[random.below(consonants.count)])
        word.append(vowels[random.below(vowels.count)])
        if random.below(2) == 0 { word.append(consonants[random.below(consonants.count)]) }
      }
      return word
    }
    artists = (0..<2000).map { [words] _ in Self.phrase(of: words, 2, &random) }
    albums = (0..<8000).map { [words] _ in Self.phrase(of: words, 3, &random) }
  }

  func phrase(_ count: Int, _ random: inout Randomness) -> String {
    Self.phrase(of: words, count, &random)
  }

  private static func phrase(
    of words: [String], _ count: Int, _ random: inout Randomness
  ) -> String {
    (0..<count).map { _ in words[min(random.below(words.count), random.below(words.count))] }
      .joined(separator: " ")
  }

  /// Returns the path of a track's file, as libraries name it: from the other columns and a number.
  func path(artist: Int, album: Int, title: String, _ random: inout Randomness) -> String {
    let number = withUnsafeBytes(of: random.next()) { Array($0) }.lowerHex
    return "/srv/media/music/\(artists[artist])/\(albums[album])/\(number) \(title).flac"
  }
}
