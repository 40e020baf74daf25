internal import TributaryContainer

extension ContentRoot {
  /// Returns the text of a content root of documents: the first is `tributary`, the second `tributary-2`. A
  /// document that comes back to a container gets the next free one.
  static func textForDocuments(_ number: Int) -> String {
    number == 1 ? standard.text : "\(standard.text)-\(number)"
  }

  /// Whether it is a content root of documents. Other content roots belong to other kinds of stores.
  var isOfDocuments: Bool {
    let number = text.utf8.dropFirst(Self.standard.text.utf8.count + 1)
    let written = number.isEmpty ? 1 : Int(String(decoding: number, as: UTF8.self)) ?? 0
    return written > 0 && Self.textForDocuments(written).utf8.elementsEqual(text.utf8)
  }
}
