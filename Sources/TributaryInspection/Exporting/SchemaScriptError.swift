/// A schema in a container that does something else than making tables and the like.
package struct SchemaScriptError: Error, CustomStringConvertible {
  package let statement: String

  package var description: String {
    "the schema in the container holds a statement that makes nothing: \(statement); leave --schema out"
  }
}
