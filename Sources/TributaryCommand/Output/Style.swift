/// How a piece of text stands out on a terminal.
enum Style: String {
  case bold = "1"
  case green = "32"
  case yellow = "33"
  case red = "31"
  /// What was looked for, as grep(1) shows it.
  case match = "1;31"
}

extension Output {
  /// The text in a style, where the terminal shows colours.
  func styled(_ text: String, _ style: Style) -> String {
    showsColours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
