/// How a piece of text is highlighted on a terminal.
enum Style: String {
  case bold = "1"
  case green = "32"
  case yellow = "33"
  case red = "31"
  /// A match, in the colour of grep(1).
  case match = "1;31"
}

extension Output {
  /// Returns the text in a style, if the terminal shows colours.
  func styled(_ text: String, _ style: Style) -> String {
    showsColours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
