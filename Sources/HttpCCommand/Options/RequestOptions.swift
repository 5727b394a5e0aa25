import ArgumentParser

/// What is sent.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp("The request method.", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header field; 'Name:' removes one that httpc would send, 'Name;' sends it empty.",
            valueName: "name: value"))
    var headers: [String] = []

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Posts data; @file reads a file without its line ends, @- standard input. Several are joined with &.",
            valueName: "data"))
    var data: [String] = []

    @Option(
        name: .customLong("data-binary"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As -d, but the bytes of a file are sent as they are.", valueName: "data"))
    var dataBinary: [String] = []

    @Flag(name: [.customShort("G"), .customLong("get")], help: "Puts the data of -d into the URL's query.")
    var dataInQuery = false

    @Option(
        name: [.customShort("T", allowingJoined: true), .customLong("upload-file")], parsing: .unconditional,
        help: ArgumentHelp(
            "Puts a file; '-' is standard input, which can be sent only once. A URL that ends in / gets its name.",
            valueName: "file"))
    var upload: String?

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("user-agent")], parsing: .unconditional,
        help: ArgumentHelp("The User-Agent field.", valueName: "name"))
    var userAgent: String?

    @Option(
        name: [.customShort("e", allowingJoined: true), .customLong("referer")], parsing: .unconditional,
        help: ArgumentHelp("The Referer field.", valueName: "URL"))
    var referer: String?
}
