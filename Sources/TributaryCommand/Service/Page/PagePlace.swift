/// Where a service shows its page and who may see it.
struct PagePlace: Equatable {
  var address: PageAddress
  /// The file with the token; `nil` means that the page is read-only and for this machine alone.
  var tokenFile: String?

  /// Combines what the command line and the configuration say; `nil` if neither names an address.
  ///
  /// - Throws: if only a token is named.
  init?(_ address: PageAddress?, tokenFile: String?) throws {
    guard let address else {
      guard let tokenFile else { return nil }
      throw TextError(
        "\(tokenFile) is the token of no page; name its address too, with --page or \"page\"")
    }
    self.address = address
    self.tokenFile = tokenFile
  }

  /// Reads the token, if there is one.
  ///
  /// - Throws: an error that names the remedy if the page would be open to others.
  func token() throws -> PageToken? {
    if let tokenFile { return try PageToken(file: tokenFile) }
    guard address.isLoopback else {
      throw TextError(
        "other machines can reach the page at \(address.host):\(address.port); add a token with --page-token FILE or "
          + "\"pageToken\", or serve it at 127.0.0.1:\(address.port)")
    }
    return nil
  }
}
