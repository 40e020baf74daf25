import Testing
import TributaryCommand

struct ArgumentParserTests {
  private let json = CommandOption.json
  private let name = CommandOption("name", short: "n", argument: "NAME", help: "")
  private let nap = CommandOption("nap", help: "")
  private let param = CommandOption("param", argument: "VALUE", isRepeatable: true, help: "")

  private func parse(_ words: String...) throws -> Arguments {
    try ArgumentParser.parse(words, options: [json, name, nap, param, .quiet, .help])
  }

  private func message(_ words: String...) -> String? {
    do {
      _ = try ArgumentParser.parse(words, options: [json, name, nap, param, .quiet, .help])
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `options may stand anywhere`() throws {
    let arguments = try parse("a", "--json", "b", "-q", "-")
    #expect(arguments.operands == ["a", "b", "-"])
    #expect(arguments.has(json) && arguments.has(.quiet) && !arguments.has(nap))
  }

  @Test func `two dashes end the options`() throws {
    let arguments = try parse("--", "--json", "-q", "--")
    #expect(arguments.operands == ["--json", "-q", "--"])
    #expect(!arguments.has(json))
  }

  @Test(arguments: [
    ["--name=x"], ["--name", "x"], ["-nx"], ["-n", "x"], ["-qnx"], ["-qn", "x"], ["--nam", "x"],
  ])
  func `an argument may follow in every usual way`(words: [String]) throws {
    let arguments = try ArgumentParser.parse(words, options: [json, name, nap, .quiet])
    #expect(arguments[name] == "x")
    #expect(arguments.operands.isEmpty)
  }

  @Test func `an argument may look like an option, be empty, or contain the sign`() throws {
    #expect(try parse("--name", "--json")[name] == "--json")
    #expect(try parse("--name=")[name] == "")
    #expect(try parse("--name=a=b")[name] == "a=b")
    #expect(try parse("--param", "-5").all(param) == ["-5"])
    #expect(try parse("--name=\u{301}x")[name] == "\u{301}x")
  }

  @Test(arguments: ["-- a comment", "--\tnote\nSELECT 1", "--note\nSELECT 1", "\u{1}text"])
  func `what cannot be an option is an operand, or an argument`(word: String) throws {
    let arguments = try parse(word, "--json", word, "--param", word)
    #expect(arguments.operands == [word, word])
    #expect(arguments.has(json) && arguments.all(param) == [word])
  }

  @Test func `the last one counts, or all of them`() throws {
    let arguments = try parse("--name", "a", "--param", "1", "--name", "b", "--param", "2")
    #expect(arguments[name] == "b")
    #expect(arguments.all(param) == ["1", "2"])
  }

  @Test func `what cannot be understood is said`() {
    #expect(message("--nope") == "unknown option '--nope'")
    #expect(message("--=x") == "unknown option '--'")
    #expect(message("-x") == "unknown option '-x'")
    #expect(message("-qx") == "unknown option '-x'")
    #expect(message("--na", "x") == "option '--na' is ambiguous: --name --nap")
    #expect(message("--json=1") == "option '--json' takes no argument")
    #expect(message("--name") == "option '--name' needs an argument")
    #expect(message("-n") == "option '-n' needs an argument")
  }

  @Test func `help is given whatever follows`() throws {
    #expect(try parse("--help", "--nope").has(.help))
    #expect(try parse("-h", "--name").has(.help))
    #expect(try !parse("--", "--help").has(.help))
  }

  @Test func `with subcommands, all from the first operand on is left alone`() throws {
    let arguments = try ArgumentParser.parse(
      ["-q", "log", "--json", "-x"], options: [.quiet, .help], stopsAtOperand: true)
    #expect(arguments.operands == ["log", "--json", "-x"])
    #expect(arguments.has(.quiet))
  }
}
