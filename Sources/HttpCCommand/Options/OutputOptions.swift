import ArgumentParser
import HttpCTerminal

/// The options of the output.
struct OutputOptions: ParsableArguments {
    @Flag(
        name: [.customShort("N"), .customLong("no-buffer")],
        help:
            "Prints data as it arrives (the default, except for JSON on a terminal), with up to 15 minutes of silence.")
    var noBuffer = false

    @Flag(
        name: .customLong("events"),
        help:
            "Prints server-sent events as they come: each as a JSON object on a line of its own; silence as with -N.")
    var events = false

    @Flag(
        name: .customLong("no-pretty"),
        help: "Prints JSON unchanged; by default it is indented and coloured on a terminal.")
    var noPretty = false

    @Flag(name: .customLong("no-color"), help: "No colours, as with NO_COLOR in the environment.")
    var noColour = false

    @Flag(name: [.customShort("i"), .customLong("include")], help: "Prints the head of the answer before its body.")
    var include = false

    @Flag(name: [.customShort("I"), .customLong("head")], help: "Asks for the head only and prints it.")
    var head = false

    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help: .verbosity)
    var verbose: Int

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "No progress bar and no messages.")
    var silent = false

    @Flag(
        name: [.customShort("S"), .customLong("show-error")],
        help: "With -s: shows errors, but no notices such as of a retry.")
    var showErrors = false

    @Flag(
        name: [.customShort("f"), .customLong("fail")],
        help: "An answer of 400 or more is a failure (22), its body is not printed.")
    var fail = false

    @Flag(name: .customLong("fail-with-body"), help: "As -f, but the body is printed.")
    var failWithBody = false

    @Flag(
        name: .customLong("accept-login-page"),
        help: "Prints a login page that comes in place of the resource; else it is a failure (67).")
    var acceptLoginPage = false

    @Option(
        name: [.customShort("w", allowingJoined: true), .customLong("write-out")], parsing: .unconditional,
        help: ArgumentHelp(
            "Prints a text after the body, @file one from a file; knows curl's common variables, such as %{http_code}, %{size_download}, %{time_total}, %header{name}, %{json}.",
            valueName: "text"))
    var writeOut: String?

    /// The style of text on a descriptor.
    func style(descriptor: Int32) -> TerminalStyle {
        noColour ? TerminalStyle(isColoured: false) : TerminalStyle(descriptor: descriptor)
    }
}
