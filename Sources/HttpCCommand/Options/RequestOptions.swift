import ArgumentParser

/// The options of the request.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp("The request method.", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header field; 'Name:' removes one that httpc would send, 'Name;' sends it empty; @file has one a line, @- is standard input. 'Host: name' is sent to the servers of the URLs only, and does not change the connection.",
            valueName: "name: value"))
    var headers: [String] = []

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("user-agent")], parsing: .unconditional,
        help: ArgumentHelp("The User-Agent field.", valueName: "name"))
    var userAgent: String?

    @Option(
        name: [.customShort("e", allowingJoined: true), .customLong("referer")], parsing: .unconditional,
        help: ArgumentHelp("The Referer field.", valueName: "URL"))
    var referer: String?
}
