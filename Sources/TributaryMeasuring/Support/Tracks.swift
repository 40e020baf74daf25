import TributaryCore

/// Rows of the table `tracks`, made before anything is timed: about 160 bytes of payload each.
///
/// Sendable although it owns memory: nothing changes after it is made.
final class Tracks: @unchecked Sendable {
  struct Track {
    var number: Int64 = 0
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var title = UnsafeRawBufferPointer(start: nil, count: 0)
    var artist = UnsafeRawBufferPointer(start: nil, count: 0)
    var album = UnsafeRawBufferPointer(start: nil, count: 0)
    var genre = UnsafeRawBufferPointer(start: nil, count: 0)
    var path = UnsafeRawBufferPointer(start: nil, count: 0)
    var year: Int64 = 0
    var duration = 0.0
    var rating: Int64 = 0
    var added: Int64 = 0
  }

  let rows: UnsafeMutableBufferPointer<Track>
  private let memory: UnsafeMutableRawPointer

  /// Makes rows.
  ///
  /// - Parameter first: the number of the first row.
  init(_ count: Int, from first: Int = 1, seed: UInt64 = 1) {
    var random = Randomness(seed: seed)
    let words = Vocabulary(&random)
    var text = ByteBuffer(capacity: count * 192)
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(count * 6)
    func add(_ body: (inout ByteBuffer) -> Void) {
      let start = text.count
      body(&text)
      ranges.append(start..<text.count)
    }
    rows = .allocate(capacity: count)
    rows.initialize(repeating: Track())
    for row in rows.indices {
      let artist = random.below(words.artists.count)
      let album = random.below(words.albums.count)
      add {
        $0.append(littleEndian: random.next())
        $0.append(littleEndian: random.next())
      }
      let title = words.phrase(2 + random.below(3), &random)
      let path = words.path(artist: artist, album: album, title: title, &random)
      add { $0.append(contentsOf: title.utf8) }
      add { $0.append(contentsOf: words.artists[artist].utf8) }
      add { $0.append(contentsOf: words.albums[album].utf8) }
      add { $0.append(contentsOf: words.genres[random.below(words.genres.count)].utf8) }
      add { $0.append(contentsOf: path.utf8) }
      rows[row].number = Int64(first + row)
      rows[row].year = Int64(1950 + random.below(75))
      rows[row].duration = Double(random.below(600_000)) / 1000
      rows[row].rating = Int64(random.below(6))
      rows[row].added = 1_700_000_000 + Int64(random.below(50_000_000))
    }
    memory = .allocate(byteCount: max(text.count, 1), alignment: 16)
    memory.copyMemory(from: text.bytes.baseAddress.unsafelyUnwrapped, byteCount: text.count)
    for row in rows.indices {
      func part(_ index: Int) -> UnsafeRawBufferPointer {
        let range = ranges[row * 6 + index]
        return UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count)
      }
      rows[row].key = part(0)
      rows[row].title = part(1)
      rows[row].artist = part(2)
      rows[row].album = part(3)
      rows[row].genre = part(4)
      rows[row].path = part(5)
    }
  }

  deinit {
    rows.deallocate()
    memory.deallocate()
  }

  /// The mean payload of a row in bytes, without its key.
  var payloadByteCount: Int {
    let total = rows.reduce(0) {
      $0 + $1.title.count + $1.artist.count + $1.album.count + $1.genre.count + $1.path.count + 16
    }
    return total / max(rows.count, 1)
  }
}
