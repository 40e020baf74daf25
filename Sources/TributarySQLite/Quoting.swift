extension String {
  /// The string as an SQL identifier, in double quotes.
  package var quotedIdentifier: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// The string as an SQL text literal, in single quotes.
  package var quotedLiteral: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
